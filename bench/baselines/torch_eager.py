"""The plain step in PyTorch, eager: every operation is a launch."""
import torch

from torch_step import DEVICE, serve, step, tensors


def make(n):
    host_in, host_out, index, states = tensors(n)

    def once():
        event = host_in.to(DEVICE, non_blocking=True)
        host_out.copy_(step(event, index, states), non_blocking=True)
        torch.cuda.current_stream().synchronize()

    return once


serve("eager", make)

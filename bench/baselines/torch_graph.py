"""The plain step in PyTorch as one hand-captured CUDA graph, copies included."""
import torch

from torch_step import DEVICE, serve, step, tensors


def make(n):
    host_in, host_out, index, states = tensors(n)
    event = torch.empty((n, 4), dtype=torch.float64, device=DEVICE)

    def body():
        event.copy_(host_in, non_blocking=True)
        host_out.copy_(step(event, index, states), non_blocking=True)

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(5):
            body()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        body()

    def once():
        graph.replay()
        torch.cuda.current_stream().synchronize()

    once.holds = (host_in, host_out, index, states, event)  # the graph has their addresses and keeps none of them
    return once


serve("graph", make)

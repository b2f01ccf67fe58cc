package cu

import "os"

// DriverNames are the places where the CUDA driver's library is, in the order tried: the loader's own search first, then
// folders of containers and of Windows' Linux that it may not search.
func DriverNames() []string {
	names := []string{
		"libcuda.so.1",
		"/usr/lib/wsl/lib/libcuda.so.1",
		"/usr/local/nvidia/lib64/libcuda.so.1",
		"/usr/lib64-nvidia/libcuda.so.1",
	}
	if own := os.Getenv("SIGENGINE_LIBCUDA"); own != "" {
		return []string{own}
	}
	return names
}

// NVRTCNames are the names of the run-time compiler's library, newest first.
func NVRTCNames() []string {
	if own := os.Getenv("SIGENGINE_LIBNVRTC"); own != "" {
		return []string{own}
	}
	base := []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}
	names := append([]string{}, base...)
	folders := []string{"/usr/local/cuda/lib64"}
	if home := os.Getenv("CUDA_HOME"); home != "" {
		folders = append([]string{home + "/lib64"}, folders...)
	}
	for _, f := range folders {
		for _, b := range base {
			names = append(names, f+"/"+b)
		}
	}
	return names
}

// OpenError says why no library could be opened: a line for each name tried.
type OpenError struct{ Tried string }

func (e *OpenError) Error() string { return "cu: no library could be opened; tried:" + e.Tried }

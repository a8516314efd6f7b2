package cli

import (
	"fmt"
	"runtime/debug"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// limitMemory makes the system refuse this process more than n bytes of committed memory. It also
// sets the garbage collector's target well below n.
func limitMemory(n int64) error {
	if n <= 0 {
		return nil
	}
	debug.SetMemoryLimit(n / 4 * 3)
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{ProcessMemoryLimit: uintptr(n)}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
	if err := enterJob(&limits); err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	return nil
}

// limitTime makes the system end this process after the given CPU time.
func limitTime(d time.Duration) error {
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_TIME
	limits.BasicLimitInformation.PerProcessUserTimeLimit = int64(d / 100) // in units of 100 ns
	if err := enterJob(&limits); err != nil {
		return fmt.Errorf("limiting time: %w", err)
	}
	return nil
}

// enterJob puts this process and its future children into a new job with limits. Jobs nest, so the
// limits of an outer job still apply. The handle stays open until the process ends.
func enterJob(limits *windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(limits)), uint32(unsafe.Sizeof(*limits)))
	if err != nil {
		return err
	}
	return windows.AssignProcessToJobObject(job, windows.CurrentProcess())
}

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"

	"unfold/internal/tools/avx512/serial"
)

// These are the paths where Debian installs the files that the machine needs.
const (
	bios     = "/usr/share/bochs/BIOS-bochs-latest"
	vga      = "/usr/share/vgabios/vgabios.bin"
	loader   = "/usr/lib/ISOLINUX/isolinux.bin"
	loader32 = "/usr/lib/syslinux/modules/bios/ldlinux.c32"
	image    = "linux-image-cloud-amd64"
)

// parameters are the kernel parameters of Linux. Some features are hidden because Bochs 2.7 reports
// them wrongly. With the wrong size of the compacted form of xsave, or the wrong place of
// protection keys, Linux would disable AVX. Fast short moves without fast strings break memmove of
// Linux 6.1. The other parameters shorten the start and silence the console.
const parameters = "console=ttyS0,115200 quiet loglevel=1 panic=-1 clearcpuid=xsavec,xsaves,pku,ospke,fsrm,aperfmperf " +
	"mitigations=off random.trust_cpu=on tsc=reliable no_timer_check nosmp nokaslr"

// missing returns a skipError if a tool is missing that cannot be downloaded.
func missing(s settings) error {
	var packages []string
	need := func(ok bool, name string) {
		if !ok {
			packages = append(packages, name)
		}
	}
	command := func(name string) bool { _, err := exec.LookPath(name); return err == nil }
	file := func(pattern string) bool { found, _ := filepath.Glob(pattern); return len(found) > 0 }
	need(command(s.bochs), "bochs")
	need(file("/usr/lib/*/bochs/plugins/libbx_term_gui.so*"), "bochs-term")
	need(file(bios), "bochsbios")
	need(file(vga), "vgabios")
	need(file(loader), "isolinux")
	need(file(loader32), "syslinux-common")
	need(command("genisoimage") || command("xorriso"), "genisoimage")
	if len(packages) > 0 {
		return skipError{"Bochs or what starts a machine in it is missing (Debian: apt-get install --no-install-recommends " + strings.Join(packages, " ") + ")"}
	}
	if s.kernel == "" && !(command("apt-get") && command("apt-cache") && command("dpkg")) {
		return skipError{"there is no apt-get to download " + image + " by (or name a Linux kernel: -kernel FILE)"}
	}
	return nil
}

// linux returns Debian's kernel, which it downloads on first use. The package is unpacked but not
// installed.
func linux(ctx context.Context, out string) (string, error) {
	dir, err := filepath.Abs(filepath.Join(out, "linux"))
	if err != nil {
		return "", err
	}
	pattern := filepath.Join(dir, "boot", "vmlinuz-*")
	if found, _ := filepath.Glob(pattern); len(found) > 0 {
		return found[0], nil
	}
	text, err := exec.CommandContext(ctx, "apt-cache", "depends", image).Output()
	if err != nil {
		return "", skipError{"apt-cache does not know " + image + " (apt-get update, or name a Linux kernel: -kernel FILE)"}
	}
	name := ""
	for line := range strings.Lines(string(text)) {
		if _, dependency, ok := strings.Cut(line, "Depends: linux-image-"); ok {
			name = "linux-image-" + strings.TrimSpace(dependency)
		}
	}
	if name == "" {
		return "", skipError{"apt-cache names no kernel that " + image + " depends on (apt-get update, or name a Linux kernel: -kernel FILE)"}
	}
	partial := dir + ".partial"
	if err := errors.Join(os.RemoveAll(partial), os.MkdirAll(partial, 0o755)); err != nil {
		return "", err
	}
	download := exec.CommandContext(ctx, "apt-get", "download", name)
	download.Dir = partial
	if text, err := download.CombinedOutput(); err != nil {
		return "", skipError{fmt.Sprintf("apt-get download %s: %v (apt-get update, or name a Linux kernel: -kernel FILE)\n%s", name, err, text)}
	}
	packages, _ := filepath.Glob(filepath.Join(partial, "*.deb"))
	if len(packages) != 1 {
		return "", fmt.Errorf("apt-get download %s left %d packages", name, len(packages))
	}
	if text, err := exec.CommandContext(ctx, "dpkg", "-x", packages[0], partial).CombinedOutput(); err != nil {
		return "", fmt.Errorf("dpkg -x %s: %w\n%s", packages[0], err, text)
	}
	if err := errors.Join(os.Remove(packages[0]), os.RemoveAll(filepath.Join(partial, "lib")), os.Rename(partial, dir)); err != nil {
		return "", err
	}
	found, _ := filepath.Glob(pattern)
	if len(found) == 0 {
		return "", fmt.Errorf("%s has no boot/vmlinuz", name)
	}
	return found[0], nil
}

// makeDisc writes a bootable disc with the kernel and its initial file system, and returns the
// disc's name.
func makeDisc(ctx context.Context, s settings, tests string) (string, error) {
	dir := filepath.Join(s.out, "disc")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	for name, from := range map[string]string{"linux": s.kernel, "isolinux.bin": loader, "ldlinux.c32": loader32} {
		data, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return "", err
		}
	}
	config := "default tests\nprompt 0\ntimeout 0\nlabel tests\n\tkernel linux\n\tinitrd tests\n\tappend " + parameters + "\n"
	if err := errors.Join(os.Rename(tests, filepath.Join(dir, "tests")), os.WriteFile(filepath.Join(dir, "isolinux.cfg"), []byte(config), 0o644)); err != nil {
		return "", err
	}
	disc := filepath.Join(s.out, "disc.iso")
	args := []string{"genisoimage"}
	if _, err := exec.LookPath(args[0]); err != nil {
		args = []string{"xorriso", "-as", "mkisofs"}
	}
	args = append(args, "-quiet", "-o", disc, "-b", "isolinux.bin", "-c", "boot.cat", "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", dir)
	if text, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
	}
	return disc, nil
}

//go:embed bochsrc.tmpl
var bochsrc string

// emulate boots the disc and returns the machine's reports until it powers off or times out.
func emulate(ctx context.Context, s settings, disc string, ended func(serial.Result)) (serial.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	// The machine's serial port connects to this listener.
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return serial.Report{}, err
	}
	defer port.Close()
	var config strings.Builder
	rc, messages := filepath.Join(s.out, "bochsrc"), filepath.Join(s.out, "bochs.log")
	if err := template.Must(template.New("").Parse(bochsrc)).Execute(&config, map[string]any{
		"BIOS": bios, "VGA": vga, "Model": s.model, "Disc": disc, "Log": messages, "Port": port.Addr(),
	}); err != nil {
		return serial.Report{}, err
	}
	if err := os.WriteFile(rc, []byte(config.String()), 0o644); err != nil {
		return serial.Report{}, err
	}
	printed, err := os.Create(filepath.Join(s.out, "screen.txt"))
	if err != nil {
		return serial.Report{}, err
	}
	defer printed.Close()
	screen := &screen{ctx: ctx, w: printed}
	defer screen.close()
	machine := exec.CommandContext(ctx, s.bochs, "-q", "-f", rc)
	machine.Env = append(os.Environ(), "TERM=linux")
	// Debian's Bochs includes a debugger, which waits for a command.
	machine.Stdin, machine.Stdout, machine.Stderr = strings.NewReader("continue\n"), screen, screen
	if err := machine.Start(); err != nil {
		return serial.Report{}, err
	}
	left := make(chan error, 1)
	go func() {
		left <- machine.Wait()
		// After the machine has ended, or if it never connected, nothing more will arrive.
		port.Close()
	}()
	stopped := func(err error) error {
		machine.Process.Kill()
		<-left
		fmt.Printf("avx512: Bochs took %.0f s of processor time\n", machine.ProcessState.UserTime().Seconds())
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("the machine was stopped after %v (-limit)", s.limit)
		}
		return errors.Join(err, ctx.Err())
	}
	connection, err := port.Accept()
	if err != nil {
		return serial.Report{}, stopped(errors.New("the machine did not start: screen.txt says why"))
	}
	defer connection.Close()
	console, err := os.Create(filepath.Join(s.out, "console.txt"))
	if err != nil {
		return serial.Report{}, stopped(err)
	}
	defer console.Close()
	report, err := serial.Read(io.TeeReader(connection, console), ended)
	return report, stopped(err)
}

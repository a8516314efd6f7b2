package cli

import (
	"context"
	"errors"
	"time"

	"unfold/cmd/internal/stage"
)

type lintCmd struct {
	configFlags
	Offline bool     `help:"Do not ask the brokers."`
	Sample  []string `placeholder:"FILE" help:"Check messages that were saved instead of asking the brokers: one message per file, JSON lines with one message per line, a folder of messages, or - for standard input."`
}

func (lintCmd) Help() string {
	return `Reads the configuration as "unfold run" does and says everything that is wrong with it. Then asks the brokers
whether the topics are there, and looks at one message of the source: whether it can be read and has the columns named.
With role learn or embed also the store and the topic of the maps are looked at. Nothing is written but a file and an object
that are removed at once, to see whether that can be done; no offset is committed.

With --sample no broker is asked: it says what messages that were saved hold, and what the stage would make of them.

    unfold lint -c unfold.yaml
    unfold lint -c unfold.yaml --sample event.bin --sample 'more/*.json'
    kcat -C -b localhost:9092 -t events -c 20 -e | unfold lint -c unfold.yaml --sample -`
}

// lintTimeout bounds all requests to the brokers.
const lintTimeout = 30 * time.Second

func (l *lintCmd) Run(ctx context.Context, p *program) error {
	settings, err := l.load(p)
	if err != nil {
		return err
	}
	p.printf("ok       the configuration\n")
	for _, text := range settings.Warnings() {
		p.printf("note     the configuration: %s\n", text)
	}
	if len(l.Sample) > 0 {
		return l.lintSamples(ctx, p, settings)
	}
	if l.Offline {
		return nil
	}
	asked := ctx
	ctx, cancel := context.WithTimeout(ctx, lintTimeout)
	defer cancel()
	failed, before := false, "" // an unreachable broker fails every check: the error is reported once
	for _, check := range stage.Checks(settings) {
		detail, err := check.Do(ctx)
		var note *stage.MayNotFit
		switch {
		case errors.As(err, &note):
			for _, text := range note.Warnings {
				p.printf("note     %s: %s\n", check.Name, text)
			}
		case errors.Is(err, stage.ErrNothingToSee):
			p.printf("unknown  %s: %v\n", check.Name, err)
		case err != nil:
			failed = true
			problem := err.Error()
			if problem == before {
				problem = "the same"
			}
			before = err.Error()
			p.printf("wrong    %s: %s\n", check.Name, problem)
		default:
			p.printf("ok       %s%s\n", check.Name, detail)
		}
	}
	switch {
	case asked.Err() != nil:
		return asked.Err() // checks that fail because of an interrupt are no fault of the configuration
	case failed:
		return errors.New("the stage would not run with this configuration")
	}
	return nil
}

package cli

import (
	"context"
	"errors"
	"time"

	"unfold/cmd/internal/stage"
)

type lintCmd struct {
	configFlags
	Offline bool `help:"Do not ask the brokers."`
}

func (lintCmd) Help() string {
	return `Reads the configuration as "unfold run" does and says everything that is wrong with it. Then asks the brokers
whether the topics are there, and looks at one message of the source: whether it can be read and has the columns named.
With role learn or embed also the store and the topic of the maps are looked at. Nothing is written but a file and an object
that are removed at once, to see whether that can be done; no offset is committed.`
}

// lintTimeout bounds everything that is asked of the brokers.
const lintTimeout = 30 * time.Second

func (l *lintCmd) Run(ctx context.Context, p *program) error {
	settings, err := l.load(p)
	if err != nil {
		return err
	}
	p.printf("ok       the configuration\n")
	if l.Offline {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lintTimeout)
	defer cancel()
	failed, before := false, "" // a broker that is away is away for every check: reported once
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
	if failed {
		return errors.New("the stage would not run with this configuration")
	}
	return nil
}

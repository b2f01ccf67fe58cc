package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/micro"
	"github.com/spf13/cobra"

	"github.com/sigengine/sigengine/internal/config"
	"github.com/sigengine/sigengine/internal/control"
	"github.com/sigengine/sigengine/internal/explain"
	"github.com/sigengine/sigengine/internal/natsconn"
)

// controlOptions are the flags of control's commands.
type controlOptions struct {
	server                serverFlags
	config                string
	partition, subject    string
	operator, reason, set string
	everywhere, confirm   bool
	wait                  time.Duration
	asJSON                bool
}

const (
	controlQuiet = 200 * time.Millisecond // after an answer the others are not far
	controlWait  = 3 * time.Second
)

func newControl(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "control",
		Short: "Ask a running engine, stop its signals, resume, change limits",
		Long: `control speaks to every instance of a partition, by NATS. Who may do what is decided by the server's
permissions (docs/control.md): what changes something is published on a subject that ends with the
operator's name, which the journal keeps with the reason.

It exits with 0 when every instance that answered has done it, 1 when one has not, 3 when none answered.`,
		Example: `  sigengine control status
  sigengine control kill --operator ann --reason 'odd prices'
  sigengine control kill signal:flow --operator ann --reason 'odd values'
  sigengine control resume signal:flow --operator ann --reason 'feed was repaired'
  sigengine control limits --set spread=1pct --operator ann --reason 'thin market'`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newControlStatus(a), newControlKill(a), newControlResume(a), newControlLimits(a))
	return c
}

func (o *controlOptions) add(c *cobra.Command, changes bool) {
	o.server.add(c)
	c.Flags().StringVarP(&o.config, "config", "c", "", "take server, partition and subject of this configuration")
	c.Flags().StringVar(&o.partition, "partition", "", "partition to speak to (default main)")
	c.Flags().StringVar(&o.subject, "subject", "", "prefix of the control subjects (default ctl.v1)")
	c.Flags().DurationVar(&o.wait, "wait", controlWait, "how long to wait for the first answer")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the answers as JSON, one a line")
	if changes {
		c.Flags().StringVar(&o.operator, "operator", "", "your name, as the server's permissions have it")
		c.Flags().StringVar(&o.reason, "reason", "", "why; it is journaled")
	}
}

func newControlStatus(a *app) *cobra.Command {
	var o controlOptions
	c := &cobra.Command{
		Use:   "status",
		Short: "Print what every instance of a partition is doing",
		Long: `status prints of every instance: build, configuration, where it runs, counts, which gates refused, whether
signals leave (active, reducing, halted), and what is killed, latched or tightened.`,
		Example: "  sigengine control status\n  sigengine control status --partition crypto --json",
		Args:    noArgs,
		RunE:    run(func(ctx context.Context, _ []string) error { return a.controlStatus(ctx, o) }),
	}
	o.add(c, false)
	return c
}

func newControlKill(a *app) *cobra.Command {
	var o controlOptions
	c := &cobra.Command{
		Use:   "kill [SCOPE]",
		Short: "Stop signals: all, signal:NAME or instrument:venue.symbol",
		Long: `kill refuses enters and updates of what it covers, and withdraws what is open. Without SCOPE it covers all.
It stays until a resume of the same scope, over restarts too.`,
		Example: `  sigengine control kill --operator ann --reason 'odd prices'
  sigengine control kill instrument:binance.BTCUSDT --operator ann --reason 'venue halted'
  sigengine control kill --everywhere --operator ann --reason 'fire drill'`,
		Args: atMostOneArg("the scope"),
		RunE: run(func(ctx context.Context, args []string) error { return a.controlOrder(ctx, o, control.VerbKill, args) }),
	}
	o.add(c, true)
	c.Flags().BoolVar(&o.everywhere, "everywhere", false, "all signals of all partitions")
	return c
}

func newControlResume(a *app) *cobra.Command {
	var o controlOptions
	c := &cobra.Command{
		Use:   "resume SCOPE",
		Short: "Undo a kill and latches: all, signal:NAME or instrument:venue.symbol",
		Long: `resume undoes a kill of the same scope, and what latched by itself within it. It needs your name and a reason.
What the configuration kills stays killed.`,
		Example: "  sigengine control resume all --operator ann --reason 'feed was repaired'",
		Args:    oneArg("the scope"),
		RunE: run(func(ctx context.Context, args []string) error {
			return a.controlOrder(ctx, o, control.VerbResume, args)
		}),
	}
	o.add(c, true)
	return c
}

func newControlLimits(a *app) *cobra.Command {
	var o controlOptions
	c := &cobra.Command{
		Use:   "limits",
		Short: "Print limits, or tighten one while the engine runs",
		Long: `limits prints the limits that can be tightened while the engine runs. --set NAME=VALUE tightens one at once.
Loosening what was tightened takes two steps: the same --set, then once more with --confirm, by another
operator if the configuration says so. NAME=off goes back to the configured value; nothing goes beyond it.`,
		Example: `  sigengine control limits
  sigengine control limits --set spread=1pct --operator ann --reason 'thin market'
  sigengine control limits --set spread=off --operator ann --reason 'back to normal'
  sigengine control limits --set spread=off --confirm --operator bob --reason 'agreed'`,
		Args: noArgs,
		RunE: run(func(ctx context.Context, _ []string) error { return a.controlLimits(ctx, o) }),
	}
	o.add(c, true)
	c.Flags().StringVar(&o.set, "set", "", "NAME=VALUE, such as spread=1pct, stale=500ms, rate=100")
	c.Flags().BoolVar(&o.confirm, "confirm", false, "the second step of loosening")
	return c
}

// atMostOneArg takes one argument or none.
func atMostOneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return oneArg(what)(c, args)
	}
}

// controlAsk sends a request and hands on every answer. verb is as it is shown.
func (a *app) controlAsk(ctx context.Context, o *controlOptions, subjectOf func(prefix, partition string) (string, error), request any, take func([]byte) error) error {
	section, partition, prefix := config.Default().NATS, config.Default().Partition, config.Default().Control.Subject
	if o.config != "" {
		c, err := config.Load(o.config)
		if err != nil {
			return err
		}
		section, partition, prefix = c.NATS, c.Partition, c.Control.Subject
	}
	if o.partition != "" {
		partition = o.partition
	}
	if o.subject != "" {
		prefix = o.subject
	}
	if prefix == config.OffWord {
		return usagef("%s says control.subject: off; nobody can be asked", o.config)
	}
	subject, err := subjectOf(prefix, partition)
	if err != nil {
		return usagef("--operator: %w", err)
	}
	server, err := o.server.connection(a, section, "control")
	if err != nil {
		return err
	}
	connection, err := a.connectOrUsage(server)
	if err != nil {
		return err
	}
	defer connection.Close()
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	answers, err := connection.AskAll(ctx, subject, text, o.wait, controlQuiet)
	if errors.Is(err, natsconn.ErrNoAnswer) {
		return fmt.Errorf("%w; %s", err, whoAnswers(ctx, connection))
	} else if err != nil {
		return err
	}
	for _, m := range answers {
		if err := take(m.Data); err != nil {
			return err
		}
	}
	return nil
}

// whoAnswers says which partitions there are, to who asked one that does not answer.
func whoAnswers(ctx context.Context, connection *natsconn.Connection) string {
	const question = "does an engine of this partition run, and may this login publish there?"
	answers, err := connection.AskAll(ctx, "$SRV.PING."+control.ServiceName, nil, time.Second, controlQuiet)
	if err != nil {
		return question
	}
	var names []string
	for _, m := range answers {
		var ping micro.Ping
		if json.Unmarshal(m.Data, &ping) == nil {
			names = append(names, ping.Metadata["partition"])
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("engines answer for --partition %s; %s", strings.Join(slices.Compact(names), ", "), question)
}

func reads(verb string) func(prefix, partition string) (string, error) {
	return func(prefix, partition string) (string, error) {
		return control.ReadSubject(prefix, partition, verb), nil
	}
}

func (a *app) controlStatus(ctx context.Context, o controlOptions) error {
	return a.controlAsk(ctx, &o, reads(control.VerbStatus), nil, func(text []byte) error {
		return controlPrint(a, &o, text, printStatus)
	})
}

func (o *controlOptions) who() error {
	if o.operator == "" || o.reason == "" {
		return usagef("say who you are and why: --operator NAME --reason TEXT; both are journaled")
	}
	return nil
}

func (a *app) controlOrder(ctx context.Context, o controlOptions, verb string, args []string) error {
	if err := o.who(); err != nil {
		return err
	}
	order := control.Order{Scope: string(config.KillAll), Reason: o.reason}
	if len(args) == 1 {
		order.Scope = args[0]
	}
	if _, err := config.ParseKill(order.Scope); err != nil {
		return usagef("%q is no scope: want all, signal:NAME or instrument:venue.symbol", order.Scope)
	}
	if o.everywhere && order.Scope != string(config.KillAll) {
		return usagef("--everywhere kills all signals; it does not go with a scope")
	}
	return a.controlDo(ctx, &o, verb, order)
}

// controlDo sends what changes something. Its error says that an instance did not do it.
func (a *app) controlDo(ctx context.Context, o *controlOptions, verb string, request any) error {
	subject := func(prefix, partition string) (string, error) {
		if o.everywhere {
			return control.KillAllSubject(prefix, o.operator)
		}
		return control.OrderSubject(prefix, partition, verb, o.operator)
	}
	instances, undone := 0, 0
	if err := a.controlAsk(ctx, o, subject, request, func(text []byte) error {
		return controlPrint(a, o, text, func(d *control.Done) string {
			instances++
			if !d.Done && !d.Pending {
				undone++
			}
			return printDone(d)
		})
	}); err != nil {
		return err
	}
	if undone > 0 {
		return differencef("%d of %d instances have not done it; what each answered is above", undone, instances)
	}
	return nil
}

func (a *app) controlLimits(ctx context.Context, o controlOptions) error {
	if o.set == "" {
		if o.confirm {
			return usagef("--confirm is the second step of --set NAME=VALUE")
		}
		return a.controlAsk(ctx, &o, reads(control.VerbLimits), nil, func(text []byte) error {
			return controlPrint(a, &o, text, printLimits)
		})
	}
	change, err := control.ParseChange(o.set)
	if err != nil {
		return usagef("--set: %w", err)
	}
	if err := o.who(); err != nil {
		return err
	}
	change.Confirm, change.Reason = o.confirm, o.reason
	return a.controlDo(ctx, &o, control.VerbLimits, change)
}

// explainer says for an engine how its signals are computed.
func explainer(c *config.Config) func([]string) (string, error) {
	return func(names []string) (string, error) {
		report, err := explain.Static(c, names, false)
		if err != nil {
			return "", err
		}
		return report.String(), nil
	}
}

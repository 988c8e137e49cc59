// Publishes, takes and acknowledges with the client that was generated.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	client "generated.test/river/client"
)

func check(right bool, what any) {
	if !right {
		fmt.Fprintf(os.Stderr, "go: %+v\n", what)
		os.Exit(1)
	}
}

func main() {
	queue := os.Args[2]
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	river := client.NewAPIClient(configuration)
	messages, deliveries := river.MessagesAPI, river.DeliveriesAPI
	ctx := context.Background()

	first := client.NewPublishRequest()
	first.SetData("order 1 ä")
	first.SetKey("eu")
	first.SetId("1")
	kind := "order"
	first.SetHeaders(map[string]client.HeadersValue{"type": client.StringAsHeadersValue(&kind)})
	published, _, err := messages.Publish(ctx, queue).PublishRequest(*first).Durability(client.DISK).Execute()
	check(err == nil, err)
	check(published.Sequence == 0 && published.Durability == client.DISK && !published.Duplicate, published)
	again, _, err := messages.Publish(ctx, queue).PublishRequest(*first).Execute()
	check(err == nil && again.Duplicate, "a repetition is a duplicate")

	text, binary := client.NewPublishRequest(), client.NewPublishRequest()
	text.SetData("order 2")
	binary.SetBase64("AP8=")
	batch, _, err := messages.PublishBatch(ctx, queue).
		PublishBatchRequest(*client.NewPublishBatchRequest([]client.PublishRequest{*text, *binary})).Execute()
	check(err == nil, err)
	check(batch.First == 1 && batch.Count == 2, batch)

	file, err := os.CreateTemp("", "river")
	check(err == nil, err)
	defer os.Remove(file.Name())
	_, err = file.WriteString("order 4")
	check(err == nil, err)
	_, err = file.Seek(0, 0)
	check(err == nil, err)
	_, _, err = messages.PublishBytes(ctx, queue).RiverKey("us").Body(file).Execute()
	check(err == nil, err)

	taken, _, err := deliveries.Take(ctx, queue, "billing").Create(true).Max(10).Wait("5s").Execute()
	check(err == nil, err)
	check(len(taken) == 4, taken)
	check(taken[0].GetData() == "order 1 ä" && taken[0].GetKey() == "eu", taken[0])
	check(*taken[0].Headers["type"].String == "order", taken[0])
	check(taken[2].GetBase64() == "AP8=", taken[2])
	check(taken[3].GetData() == "order 4" && taken[3].GetKey() == "us", taken[3])

	receipts := []string{}
	for _, delivery := range taken {
		receipts = append(receipts, delivery.Receipt)
	}
	acknowledged, _, err := deliveries.Ack(ctx, queue, "billing").AckRequest(*client.NewAckRequest(receipts)).Execute()
	check(err == nil, err)
	for _, each := range acknowledged.Results {
		check(each.Result == "ok", each)
	}
	rest, _, err := deliveries.Take(ctx, queue, "billing").Execute()
	check(err == nil && len(rest) == 0, "all are acknowledged")

	late := client.NewPublishRequest()
	late.SetData("late")
	late.SetExpires("0s")
	_, _, err = messages.Publish(ctx, queue).PublishRequest(*late).Execute()
	var refused *client.GenericOpenAPIError
	check(errors.As(err, &refused), err)
	problem, isProblem := refused.Model().(client.Problem)
	check(isProblem && problem.Status == 400 && problem.GetField() == "expires", refused)
	fmt.Println("go: published, took and acknowledged", len(taken), "messages")
}

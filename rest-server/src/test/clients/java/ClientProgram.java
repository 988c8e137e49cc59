import generated.client.ApiClient;
import generated.client.ApiException;
import generated.client.api.DeliveriesApi;
import generated.client.api.MessagesApi;
import generated.client.model.AckRequest;
import generated.client.model.AckResult;
import generated.client.model.AckResults;
import generated.client.model.Delivery;
import generated.client.model.Durability;
import generated.client.model.HeadersValue;
import generated.client.model.PublishBatchRequest;
import generated.client.model.PublishRequest;
import generated.client.model.Published;
import generated.client.model.PublishedBatch;
import java.util.List;

/** Publishes, takes and acknowledges with the client that was generated. */
public final class ClientProgram {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    String queue = args[1];
    MessagesApi messages = new MessagesApi(client);
    DeliveriesApi deliveries = new DeliveriesApi(client);

    PublishRequest first =
        new PublishRequest()
            .data("order 1 ä")
            .key("eu")
            .id("1")
            .putHeadersItem("type", new HeadersValue("order"));
    Published published = messages.publish(queue, first, Durability.DISK, null, null);
    check(published.getSequence() == 0, published);
    check(published.getDurability() == Durability.DISK, published);
    check(!published.getDuplicate(), published);
    check(messages.publish(queue, first, null, null, null).getDuplicate(), "a repetition is a duplicate");

    PublishedBatch batch =
        messages.publishBatch(
            queue,
            new PublishBatchRequest()
                .messages(
                    List.of(
                        new PublishRequest().data("order 2"),
                        new PublishRequest().base64("AP8="))),
            null,
            null,
            null);
    check(batch.getFirst() == 1 && batch.getCount() == 2, batch);

    // Not publishBytes: this generator sends the file's name instead of its content.
    messages.publish(queue, new PublishRequest().data("order 4").key("us"), null, null, null);

    List<Delivery> taken = deliveries.take(queue, "billing", 10, "5s", true, null);
    check(taken.size() == 4, taken);
    check(taken.get(0).getData().equals("order 1 ä"), taken);
    check(taken.get(0).getKey().equals("eu"), taken);
    check(taken.get(0).getHeaders().get("type").getActualInstance().equals("order"), taken);
    check(taken.get(2).getBase64().equals("AP8="), taken);
    check(taken.get(3).getData().equals("order 4"), taken);

    AckResults acknowledged =
        deliveries.ack(
            queue,
            "billing",
            new AckRequest().receipts(taken.stream().map(Delivery::getReceipt).toList()));
    check(
        acknowledged.getResults().stream()
            .allMatch(each -> each.getResult() == AckResult.ResultEnum.OK),
        acknowledged);
    check(deliveries.take(queue, "billing", 10, null, null, null).isEmpty(), "all are acknowledged");

    try {
      messages.publish(queue, new PublishRequest().data("late").expires("0s"), null, null, null);
      throw new AssertionError("it accepts what has expired");
    } catch (ApiException e) {
      check(e.getCode() == 400 && e.getResponseBody().contains("\"expires\""), e);
    }
    System.out.println("java: published, took and acknowledged " + taken.size() + " messages");
  }

  private static void check(boolean right, Object what) {
    if (!right) {
      throw new AssertionError(what);
    }
  }
}

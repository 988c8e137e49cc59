package com.wookler.river.rest.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InFlightDeliveriesTest {
  @Test
  void shouldGiveBackInTheOrderInWhichTheyWereSent() {
    List<String> receipts = IntStream.range(0, 100).mapToObj(i -> "receipt-" + i).toList();
    InFlightDeliveries out = new InFlightDeliveries();
    receipts.forEach(receipt -> out.put(receipt, 1_000));
    out.put("receipt-7", 2_000); // which is extended
    out.remove("receipt-9");

    assertThat(out.removeAll())
        .containsExactlyElementsOf(
            receipts.stream().filter(receipt -> !receipt.equals("receipt-9")).toList());
    assertThat(out.earliest()).isNull();
  }
}

package com.wookler.river.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.spring.RiverTemplate;
import com.wookler.river.spring.test.Billing.Order;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** As an application writes it, with Spring's extension for JUnit. */
@SpringRiverTest(Billing.class)
class BillingTest {
  @Autowired RiverTemplate river;
  @Autowired Billing billing;

  @Test
  void shouldBillAnOrder() throws InterruptedException {
    river.publish("orders", new Order(7, "ada"));
    assertThat(billing.billed.poll(60, TimeUnit.SECONDS)).isEqualTo(new Order(7, "ada"));
  }
}

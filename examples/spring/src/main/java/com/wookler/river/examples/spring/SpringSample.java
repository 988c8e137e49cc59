package com.wookler.river.examples.spring;

import com.wookler.river.spring.RiverListener;
import com.wookler.river.spring.RiverTemplate;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Publishes orders, and ends when the listener has processed as many. */
@SpringBootApplication
public class SpringSample {
  private static final Logger LOG = LoggerFactory.getLogger(SpringSample.class);

  private final int count;
  private final CountDownLatch processed;

  /** Called by Spring. */
  public SpringSample(@Value("${count:10}") int count) {
    this.count = count;
    this.processed = new CountDownLatch(count);
  }

  /** What is published, as JSON. */
  record Order(int number, String customer) {}

  /** Runs the application. */
  public static void main(String[] args) {
    SpringApplication.run(SpringSample.class, args).close();
  }

  @RiverListener(
      queue = "orders",
      subscriber = "billing",
      maxDeliveries = "5",
      backoff = "fixed 1ss")
  void on(Order order) {
    LOG.info("Order {} of {}", order.number(), order.customer());
    processed.countDown();
  }

  @Bean
  CommandLineRunner publish(RiverTemplate template) {
    return args -> {
      for (int i = 1; i <= count; i++) {
        template.publish("orders", new Order(i, "customer " + i % 3));
      }
      processed.await();
      LOG.info("All {} orders are processed", count);
    };
  }
}

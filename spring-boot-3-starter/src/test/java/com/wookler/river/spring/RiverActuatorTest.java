package com.wookler.river.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Subscriber;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

class RiverActuatorTest {
  @TempDir Path directory;

  static class Picky {
    final AtomicBoolean fails = new AtomicBoolean(true);

    @RiverListener(queue = "orders", subscriber = "billing", maxDeliveries = "1")
    void on(String order) {
      if (fails.get()) {
        throw new IllegalStateException("no");
      }
    }

    @Bean
    MeterRegistry registry() {
      return new SimpleMeterRegistry();
    }
  }

  private ApplicationContextRunner runner() {
    return Contexts.runner(directory, Picky.class)
        .withPropertyValues("management.endpoints.web.exposure.include=river")
        .withPropertyValues("management.endpoints.jmx.exposure.include=river");
  }

  @Test
  void shouldRedrivePauseAndResumeByTheEndpoint() {
    runner()
        .run(
            context -> {
              RiverEndpoint endpoint = context.getBean(RiverEndpoint.class);
              context.getBean(RiverTemplate.class).publish("orders", "a");
              await().until(() -> billing(endpoint).deadLetters() == 1);
              assertThat(endpoint.queues().queues()).containsOnlyKeys("orders");
              context.getBean(Picky.class).fails.set(false);
              assertThat(endpoint.change("orders", "billing", "redrive").redriven()).isEqualTo(1);
              await().until(() -> billing(endpoint).stats().acked() == 1);
              assertThat(billing(endpoint).deadLetters()).isZero();
              assertThat(endpoint.change("orders", "billing", "redrive").redriven()).isZero();
              endpoint.change("orders", "billing", "pause");
              assertThat(billing(endpoint).stats().paused()).isTrue();
              endpoint.change("orders", "billing", "resume");
              assertThat(billing(endpoint).stats().paused()).isFalse();
              assertThat(endpoint.queue("none")).isNull();
              assertThat(endpoint.change("orders", "none", "pause")).isNull();
              assertThatThrownBy(() -> endpoint.change("orders", "billing", "dance"))
                  .isInstanceOf(InvalidEndpointRequestException.class) // which answers 400
                  .hasMessageContaining("redrive, pause and resume");
            });
  }

  private static RiverEndpoint.SubscriberView billing(RiverEndpoint endpoint) {
    return endpoint.queue("orders").subscribers().get("billing");
  }

  @Test
  void shouldHaveMetersOfTheQueues() {
    runner()
        .run(
            context -> {
              MeterRegistry registry = context.getBean(MeterRegistry.class);
              context.getBean(MeterBinder.class).bindTo(registry); // as Spring Boot does
              context.getBean(RiverTemplate.class).publish("orders", "a");
              assertThat(registry.getMeters())
                  .anySatisfy(
                      meter -> {
                        assertThat(meter.getId().getName()).contains("messages");
                        assertThat(meter.getId().getTag("queue")).isEqualTo("orders");
                      });
            });
  }

  /** Calls the health indicator, whose classes are in another package in each Spring Boot. */
  private static String health(ApplicationContext context) throws ReflectiveOperationException {
    Object indicator = context.getBean("riverHealthIndicator");
    return indicator.getClass().getMethod("health").invoke(indicator).toString();
  }

  @Test
  void shouldBeOutOfServiceWithoutDiskSpace() {
    runner()
        .run(
            context -> {
              context.getBean(RiverTemplate.class).publish("orders", "a");
              assertThat(health(context)).contains("UP", "orders=RUNNING");
              Subscriber<?> unused =
                  context.getBean(RiverQueues.class).find("orders").get().subscribers().get(0);
              assertThat(unused.name()).isEqualTo("billing");
            });
    runner()
        .withPropertyValues("river.queues.full.options.queue.disk.reserve=" + Long.MAX_VALUE / 2)
        .withPropertyValues("river.queues.full.type=java.lang.String")
        .run(
            context -> {
              RiverTemplate template = context.getBean(RiverTemplate.class);
              assertThatThrownBy(() -> template.publish("full", "a"))
                  .isInstanceOf(QueueFullException.class);
              assertThat(health(context)).contains("OUT_OF_SERVICE", "queue.disk.reserve");
              MessageQueue<?> full = context.getBean(RiverQueues.class).find("full").get();
              assertThat(full.shortage().orElseThrow()).contains("reserve");
            });
  }

  @Test
  void shouldBeDownWhenAQueueHasFailed() {
    runner()
        .run(
            context -> {
              context.getBean(RiverTemplate.class).publish("orders", "a");
              assertThat(health(context)).contains("UP", "orders=RUNNING");
              MessageQueue<?> orders = context.getBean(RiverQueues.class).find("orders").get();
              Files.move(directory.resolve("orders"), directory.resolve("moved"));
              await().until(() -> orders.state() == QueueState.FAILED);
              assertThat(health(context)).contains("DOWN", "orders=FAILED");
            });
  }

  @Test
  void shouldStartWithoutActuatorAndMicrometer() {
    runnerWithout("org.springframework.boot.actuate", "org.springframework.boot.health")
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RiverQueues.class));
    runnerWithout(
            "org.springframework.boot.actuate",
            "org.springframework.boot.health",
            "io.micrometer",
            "com.wookler.river.filter",
            "com.fasterxml.jackson.module",
            "tools.jackson")
        .run(
            context -> {
              assertThat(context)
                  .hasNotFailed()
                  .doesNotHaveBean("riverHealthIndicator")
                  .doesNotHaveBean("riverMeterBinder")
                  .doesNotHaveBean(RiverEndpoint.class);
              assertThat(context.getBean(RiverTemplate.class).publish("sales", "a")).isZero();
            });
  }

  private ApplicationContextRunner runnerWithout(String... packages) {
    return Contexts.runner(directory).withClassLoader(new FilteredClassLoader(packages));
  }
}

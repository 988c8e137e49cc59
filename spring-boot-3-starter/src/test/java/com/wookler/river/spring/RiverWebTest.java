package com.wookler.river.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with a web server and the actuator, asked over HTTP. */
class RiverWebTest {
  private static final String JSON = "application/json";

  @TempDir Path directory;

  private final HttpClient client = HttpClient.newHttpClient();
  private ConfigurableApplicationContext context;

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    final AtomicBoolean fails = new AtomicBoolean(true);

    @RiverListener(queue = "orders", subscriber = "billing", maxDeliveries = "1")
    void on(String order) {
      if (fails.get()) {
        throw new IllegalStateException("no");
      }
    }
  }

  @BeforeEach
  void start() {
    context = run();
  }

  private ConfigurableApplicationContext run(String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add("--server.port=0");
    arguments.add("--spring.main.banner-mode=off");
    arguments.add("--management.endpoints.web.exposure.include=river,health,metrics");
    arguments.add("--management.endpoint.health.show-details=always");
    arguments.add("--river.directory=" + directory.resolve("data"));
    return SpringApplication.run(Application.class, arguments.toArray(String[]::new));
  }

  @AfterEach
  void close() {
    context.close();
  }

  private HttpRequest.Builder request(String path) {
    String port = context.getEnvironment().getRequiredProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/" + path));
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** Returns the JSON of an answer that has a status. */
  private static JsonNode json(int status, HttpResponse<String> answer) throws IOException {
    assertThat(answer.statusCode()).as("%s", answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type").orElse("none"))
        .containsAnyOf(JSON, "application/vnd.spring-boot.actuator.v3+json");
    return new ObjectMapper().readTree(answer.body());
  }

  private JsonNode get(int status, String path) throws IOException, InterruptedException {
    return json(status, send(request(path)));
  }

  /** Posts without a body, as {@code curl -X POST} does. */
  private HttpResponse<String> post(String path) throws IOException, InterruptedException {
    return send(request(path).POST(BodyPublishers.noBody()));
  }

  private JsonNode billing() throws IOException, InterruptedException {
    return get(200, "river/orders").at("/subscribers/billing");
  }

  @Test
  void shouldReadRedrivePauseAndResume() throws Exception {
    context.getBean(RiverTemplate.class).publish("orders", "a");
    await().until(() -> billing().get("deadLetters").asLong() == 1);
    JsonNode queue = get(200, "river").at("/queues/orders");
    assertThat(queue.get("state").asText()).isEqualTo("RUNNING");
    assertThat(queue.get("status").asText()).isEqualTo("UP");
    assertThat(queue.at("/stats/nextSequence").asLong()).isEqualTo(1);
    context.getBean(Application.class).fails.set(false);

    JsonNode redriven = json(200, post("river/orders/billing/redrive"));
    assertThat(redriven.get("action").asText()).isEqualTo("redrive");
    assertThat(redriven.get("redriven").asLong()).isEqualTo(1);
    await().until(() -> billing().at("/stats/acked").asLong() == 1);
    assertThat(billing().get("deadLetters").asLong()).isZero();

    json(200, post("river/orders/billing/pause"));
    assertThat(billing().at("/stats/paused").asBoolean()).isTrue();
    json(
        200,
        send(
            request("river/orders/billing/resume")
                .header("Content-Type", JSON)
                .POST(BodyPublishers.ofString("{}"))));
    assertThat(billing().at("/stats/paused").asBoolean()).isFalse();
  }

  @Test
  void shouldSayWhatItCannotDo() throws Exception {
    assertThat(get(200, "river").get("queues").has("orders")).isTrue(); // opened by the listener
    assertThat(send(request("river/none")).statusCode()).isEqualTo(404);
    assertThat(post("river/orders/none/pause").statusCode()).isEqualTo(404);
    assertThat(post("river/none/billing/pause").statusCode()).isEqualTo(404);
    assertThat(post("river/orders/billing/dance").statusCode()).isEqualTo(400);
    assertThat(send(request("river/orders/billing/pause")).statusCode()).isEqualTo(405);
  }

  @Test
  void shouldBeInTheHealthAndTheMeters() throws Exception {
    context.getBean(RiverTemplate.class).publish("orders", "a");
    JsonNode river = get(200, "health").at("/components/river");
    assertThat(river.get("status").asText()).isEqualTo("UP");
    assertThat(river.at("/details/queues/orders").asText()).isEqualTo("RUNNING");
    assertThat(get(200, "health/river").get("status").asText()).isEqualTo("UP");
    String names = get(200, "metrics").get("names").toString();
    assertThat(names).contains("river", "\"river.create\"");
    await().until(() -> get(200, "metrics").get("names").toString().contains("river.listener"));

    Files.move(directory.resolve("data/orders"), directory.resolve("moved"));
    await().until(() -> send(request("health")).statusCode() == 503);
    assertThat(get(503, "health/river").get("status").asText()).isEqualTo("DOWN");
  }

  @Test
  void shouldObserveNothingWhereThatIsSwitchedOff() throws Exception {
    context.close();
    context = run("--management.observations.enable.river=false");
    context.getBean(Application.class).fails.set(false);
    context.getBean(RiverTemplate.class).publish("orders", "a");
    await().until(() -> billing().at("/stats/acked").asLong() == 1);
    assertThat(get(200, "metrics").get("names").toString())
        .contains("river")
        .doesNotContain("river.create", "river.listener");
  }
}

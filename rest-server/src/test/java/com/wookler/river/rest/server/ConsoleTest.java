package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page reaches what it names, and reads what the server says. */
class ConsoleTest extends ServerFixture {
  private static Set<String> found(String pattern, String text) {
    Set<String> found = new TreeSet<>();
    for (Matcher matcher = Pattern.compile(pattern).matcher(text); matcher.find(); ) {
      found.add(matcher.group(1));
    }
    return found;
  }

  @Test
  void shouldServeThePageAndAllThatItNames() {
    Asked.Reply page = asked.get("/");
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.header("Content-Type")).startsWith("text/html");
    Set<String> named = found("(?:href|src)=\"([^\"]+)\"", page.body());
    assertThat(named).containsExactlyInAnyOrder("console.css", "console.js", "openapi.yaml");
    for (String name : named) {
      assertThat(asked.get("/" + name).status()).as(name).isEqualTo(200);
    }
  }

  /** The server forbids both, so they would be without effect. */
  @Test
  void shouldHaveNeitherScriptsNorStylesWithin() {
    assertThat(asked.get("/").body())
        .doesNotContain("<style", "style=", "onclick", "<script>")
        .contains("<script src=");
  }

  @Test
  void shouldReadOnlyWhatTheServerSays() {
    asked.put("/v1/queues/orders", "");
    asked.put("/v1/queues/orders/subscribers/billing", "");
    String queue = asked.get("/v1/queues").json().at("/queues/0/stats").toString();
    String subscriber =
        asked.get("/v1/queues/orders/subscribers").json().at("/subscribers/0/stats").toString();

    String script = asked.get("/console.js").body();
    Set<String> read = found("stats\\.([A-Za-z]+)", script);
    assertThat(read).hasSizeGreaterThan(15);
    for (String figure : read) {
      assertThat(queue + subscriber).contains('"' + figure + '"');
    }
  }
}

package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The console without a browser: what it names is there, and nothing in it is markup. */
class ConsoleTest extends ServerFixture {
  private static Set<String> found(String pattern, String text) {
    Set<String> found = new TreeSet<>();
    for (Matcher matcher = Pattern.compile(pattern).matcher(text); matcher.find(); ) {
      found.add(matcher.group(1));
    }
    return found;
  }

  /** All modules that the page loads, by name. */
  private Set<String> modules() {
    Set<String> all = new TreeSet<>(Set.of("app.js"));
    Set<String> imported = found("from \"\\./([a-z]+\\.js)\"", script("app.js"));
    all.addAll(imported);
    imported.forEach(each -> all.addAll(found("from \"\\./([a-z]+\\.js)\"", script(each))));
    return all;
  }

  private String script(String name) {
    Asked.Reply reply = asked.get("/console/" + name);
    assertThat(reply.status()).as(name).isEqualTo(200);
    assertThat(reply.header("Content-Type")).startsWith("text/javascript");
    return reply.body();
  }

  @Test
  void shouldServeThePageAndAllThatItNames() {
    Asked.Reply page = asked.get("/");
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.header("Content-Type")).startsWith("text/html");
    assertThat(page.header("Content-Security-Policy")).isEqualTo("default-src 'self'");
    Set<String> named = found("(?:href|src)=\"([^\"#]+)\"", page.body());
    assertThat(named).contains("console/app.js", "console/uplot-1.6.30.js", "openapi.yaml");
    for (String name : named) {
      assertThat(asked.get("/" + name).status()).as(name).isEqualTo(200);
    }
    assertThat(modules()).hasSizeGreaterThan(8);
    assertThat(asked.get("/console/none.js").status()).isEqualTo(404);
  }

  /** The server forbids scripts and styles within a page, so they would be without effect. */
  @Test
  void shouldShowWhatComesFromTheServerAsTextOnly() {
    assertThat(asked.get("/").body()).doesNotContain("<style", "style=", "onclick", "<script>");
    for (String name : modules()) {
      assertThat(script(name))
          .as(name)
          .doesNotContain(
              "innerHTML",
              "outerHTML",
              "insertAdjacentHTML",
              "document.write",
              "eval(",
              "cookie =",
              "localStorage",
              "sessionStorage");
    }
  }

  @Test
  void shouldDescribeAllSettingsWithDefaultsAndWhenTheyMayChange() {
    var options = asked.get("/v1/options").json();
    assertThat(options.get("queue")).hasSizeGreaterThan(20);
    assertThat(options.get("subscriber").toString())
        .contains("{\"name\":\"ackTimeout\",\"type\":\"DURATION\",\"change\":\"RUNNING\"")
        .contains("\"defaultValue\":\"30s\"");
  }
}

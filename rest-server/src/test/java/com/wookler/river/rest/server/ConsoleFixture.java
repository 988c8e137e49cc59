package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The console in a real Chromium; a test fails too if the page logs an error. */
@Timeout(180)
@Tag("full")
abstract class ConsoleFixture {
  static final int WAIT_MILLIS = 30_000;

  private static Playwright playwright;
  private static Browser browser;

  final List<String> errors = new CopyOnWriteArrayList<>();
  private BrowserContext context;
  Page page;

  @BeforeAll
  static void launch() {
    String path = Chromium.path().toString();
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    PlaywrightAssertions.setDefaultAssertionTimeout(WAIT_MILLIS);
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(java.nio.file.Path.of(path))
                    .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")));
  }

  @AfterAll
  static void quit() {
    if (playwright != null) {
      browser.close();
      playwright.close();
    }
  }

  @BeforeEach
  final void newPage() {
    newPage("Europe/Berlin");
  }

  /** Opens a page in a browser of another time zone, instead of the one that is open. */
  final void newPage(String zone) {
    if (context != null) {
      context.close();
    }
    context =
        browser.newContext(
            new Browser.NewContextOptions()
                .setViewportSize(1280, 900)
                .setTimezoneId(zone)
                .setColorScheme(ColorScheme.LIGHT));
    context.setDefaultTimeout(WAIT_MILLIS);
    page = context.newPage();
    page.onPageError(errors::add);
    page.onConsoleMessage(
        message -> {
          // the browser logs each answer of an error by itself, and a server that is away
          if (message.type().equals("error") && !message.text().startsWith("Failed to load")) {
            errors.add(message.text());
          }
        });
  }

  @AfterEach
  final void closePage() {
    context.close();
    assertThat(errors).isEmpty();
  }

  void open(int port, String hash) {
    page.navigate("http://127.0.0.1:" + port + "/" + hash);
  }

  Locator button(String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  /** A button of the dialog that is open. */
  Locator submit(String name) {
    return page.locator("dialog")
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true));
  }

  Locator field(String label) {
    return page.getByLabel(label, new Page.GetByLabelOptions().setExact(true));
  }

  void see(String text) {
    PlaywrightAssertions.assertThat(page.locator("body")).containsText(text);
  }

  void useKey(String key) {
    field("API key").fill(key);
    button("Use key").click();
  }

  /** Fails where axe-core finds a violation, in the dialog where one is open. */
  void assertAccessible(String what) {
    if (page.evaluate("typeof axe").equals("undefined")) {
      page.evaluate(axe());
    }
    Object found =
        page.evaluate(
            "async () => (await axe.run(document.querySelector('dialog') ?? document,"
                + " {resultTypes: ['violations']})).violations"
                + ".map(v => v.id + ': ' + v.nodes.map(n => n.html + ' ' + n.failureSummary).join(' | '))");
    assertThat((List<?>) found).as(what).isEmpty();
  }

  private static String axe() {
    try (var in = AxeBuilder.class.getResourceAsStream("/axe.min.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

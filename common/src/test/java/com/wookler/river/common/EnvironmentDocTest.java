package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.config.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the environment's rows of docs/configuration.md to the code. */
class EnvironmentDocTest {
  private static final Path DOC = Path.of("..", "docs", "configuration.md");

  /** The rows of an element, as lists of cells. */
  private static List<String[]> rows(String element) throws IOException {
    List<String[]> rows = new ArrayList<>();
    for (String line : Files.readAllLines(DOC)) {
      String[] cells = line.split("\\|");
      if (cells.length > 5 && cells[1].trim().equals(element) && cells[2].trim().startsWith("`")) {
        rows.add(cells);
      }
    }
    return rows;
  }

  private static List<String> names(String element) throws IOException {
    return rows(element).stream().map(cells -> text(cells[2])).toList();
  }

  private static String dflt(String element, String name) throws IOException {
    return rows(element).stream()
        .filter(cells -> text(cells[2]).equals(name))
        .map(cells -> text(cells[4]))
        .findFirst()
        .orElseThrow();
  }

  private static String text(String cell) {
    return cell.trim().replace("`", "");
  }

  @Test
  void shouldHaveEveryParameterAndNoOther() throws IOException {
    assertThat(names("env")).containsExactlyInAnyOrderElementsOf(Env.PARAMS);
    assertThat(names("monitor")).containsExactlyInAnyOrderElementsOf(MonitorSettings.PARAMS);
    assertThat(names("task-manager")).containsExactlyInAnyOrderElementsOf(Env.TASK_MANAGER_PARAMS);
  }

  @Test
  void shouldGiveTheDefaults() throws IOException {
    assertThat(Durations.parse(dflt("monitor", "monitor.window.recycle")))
        .isEqualTo(MonitorSettings.DEFAULT_WINDOW);
    assertThat(Durations.parse(dflt("monitor", "monitor.frequency.write")))
        .isEqualTo(MonitorSettings.DEFAULT_FREQUENCY);
  }
}

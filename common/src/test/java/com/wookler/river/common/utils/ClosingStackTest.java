package com.wookler.river.common.utils;

import static com.wookler.river.common.utils.ClosingStackTest.Stage.ACCEPTANCE;
import static com.wookler.river.common.utils.ClosingStackTest.Stage.DELIVERY;
import static com.wookler.river.common.utils.ClosingStackTest.Stage.STORAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosingStackTest {
  enum Stage {
    STORAGE,
    DELIVERY,
    ACCEPTANCE,
    MAINTENANCE,
    SERVICE
  }

  private final ClosingStack<Stage> closing = new ClosingStack<>(Stage.class);
  private final List<String> ran = new ArrayList<>();

  private Runnable failing(String step) {
    return () -> {
      ran.add(step);
      throw new IllegalStateException(step);
    };
  }

  @Test
  void shouldCloseInTheReverseOrderOfOpening() {
    closing.add(STORAGE, () -> ran.add("directory"));
    closing.add(STORAGE, () -> ran.add("log"));
    closing.enter(DELIVERY);
    closing.add(DELIVERY, () -> ran.add("subscribers"));

    assertThat(closing.close().get()).isNull();
    assertThat(closing.close().get()).isNull();
    assertThat(ran).containsExactly("subscribers", "log", "directory");
  }

  @Test
  void shouldRefuseAStepOfAnotherStage() {
    assertThatThrownBy(() -> closing.add(DELIVERY, () -> {}))
        .isInstanceOf(IllegalStateException.class);
    closing.enter(DELIVERY);
    assertThatThrownBy(() -> closing.add(STORAGE, () -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("STORAGE");
  }

  @Test
  void shouldEnterStagesInTheirOrderOnly() {
    assertThatThrownBy(() -> closing.enter(ACCEPTANCE)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> closing.enter(STORAGE)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldRunAllStepsThoughSomeFail() {
    closing.add(STORAGE, () -> ran.add("directory"));
    closing.add(STORAGE, failing("log"));
    closing.add(STORAGE, failing("readers"));

    Throwable failed = closing.close().get();
    assertThat(ran).containsExactly("readers", "log", "directory");
    assertThat(failed).hasMessage("readers");
    assertThat(failed.getSuppressed()).singleElement().asString().contains("log");
  }
}

package com.wookler.river.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.examples.utils.EventFile;
import com.wookler.river.examples.utils.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventsTest {
  @TempDir Path directory;

  @Test
  void shouldTakeIdsThatAreLineNumbers() throws IOException {
    Events events = scan("{\"id\":0}\n{\"x\":{\"id\":9},\"id\":1}\n");

    assertThat(events.identified()).isTrue();
    assertThat(events.count()).isEqualTo(2);
    assertThat(events.message(1, "{}").headers()).isEmpty();
  }

  @Test
  void shouldNumberEventsWhoseIdsAreNot() throws IOException {
    Events events = scan("{\"id\":1}\n{\"id\":0}\n");

    assertThat(events.identified()).isFalse();
    assertThat(events.message(1, "{}").headers().get(Events.HEADER)).asString().isEqualTo("1");
  }

  @Test
  void shouldNumberWhatHasNoIdsAtAll() throws IOException {
    assertThat(scan("{}\n").identified()).isFalse();
    assertThat(scan("[0]\n").identified()).isFalse();
    assertThat(scan("{\"id\":\"0\"}\n").identified()).isFalse();
    assertThat(scan("{\"id\":0.5}\n").identified()).isFalse();
    assertThat(scan("no json\n").identified()).isFalse();
    assertThat(scan("{\"id\":99999999999999999999}\n").identified()).isFalse();
  }

  @Test
  void shouldTellWhetherAnEventIsUnchanged() throws IOException {
    Events events = scan("{\"id\":0,\"a\":\"ü\"}\n{\"id\":1}\n");

    assertThat(events.intact(0, "{\"id\":0,\"a\":\"ü\"}")).isTrue();
    assertThat(events.intact(0, "{\"id\":0,\"a\":\"u\"}")).isFalse();
    assertThat(events.longest()).isEqualTo(17);
  }

  @Test
  void shouldKnowTheShippedEventsByTheirIds() {
    Events events = Events.scan(EventFile.shipped());

    assertThat(events.identified()).isTrue();
    assertThat(events.count()).isEqualTo(20_000);
  }

  @Test
  void shouldRefuseAnEmptyFile() {
    assertThatThrownBy(() -> scan("\n")).isInstanceOf(UsageException.class);
  }

  private Events scan(String content) throws IOException {
    return Events.scan(EventFile.of(Files.writeString(directory.resolve("in"), content)));
  }
}

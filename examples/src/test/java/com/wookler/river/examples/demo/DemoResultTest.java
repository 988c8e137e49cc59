package com.wookler.river.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DemoResultTest {
  private final PublishedSequences published = new PublishedSequences(2);
  private final SubscriberResult good =
      new SubscriberResult("audit", 2, 2, 0, Map.of(), 0, List.of());
  private final BackupCheck backups = new BackupCheck(1, 100, 2, List.of());

  @BeforeEach
  void publish() {
    published.add(0, 1);
    published.add(1, 0);
  }

  @Test
  void shouldHoldWhenEverythingDoes() {
    DemoResult result =
        new DemoResult(2, 2, published, List.of(good), List.of(), "after 1 event", backups);

    assertThat(result.holds()).isTrue();
    assertThat(result.lines()).last().isEqualTo("The proof holds.");
  }

  @Test
  void shouldSayWhatDoesNotHold() {
    SubscriberResult bad =
        new SubscriberResult("billing", 2, 1, 0, Map.of(), 1, List.of("event 1 is lost"));
    BackupCheck broken = new BackupCheck(0, 0, 0, List.of("sequence 0 cannot be read back"));
    DemoResult result =
        new DemoResult(
            2,
            2,
            new PublishedSequences(2),
            List.of(good, bad),
            List.of("audit: still gets 7"),
            null,
            broken);

    assertThat(result.failures())
        .containsExactly(
            "published 0 of 2 events",
            "billing: event 1 is lost",
            "audit: still gets 7",
            "the queue was not restarted",
            "backup: sequence 0 cannot be read back");
    assertThat(result.lines())
        .contains("  FAILED: billing: event 1 is lost")
        .last()
        .isEqualTo("THE PROOF DOES NOT HOLD.");
  }

  @Test
  void shouldFailWhenSequencesRepeat() {
    published.add(1, 1);
    PublishedSequences all = new PublishedSequences(2);
    all.add(0, 0);
    all.add(1, 0);
    DemoResult result = new DemoResult(2, 2, all, List.of(good), List.of(), "once", backups);

    assertThat(result.failures()).containsExactly("the sequences are not 0 to 1, each once");
  }
}

package com.wookler.river.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProofTest {
  private final Published published = new Published(2);
  private final Verdict good = new Verdict("audit", 2, 2, 0, Map.of(), 0, List.of());
  private final Backups backups = new Backups(1, 100, 2, List.of());

  @BeforeEach
  void publish() {
    published.add(0, 1);
    published.add(1, 0);
  }

  @Test
  void shouldHoldWhenEverythingDoes() {
    Proof proof = new Proof(2, 2, published, List.of(good), List.of(), "after 1 event", backups);

    assertThat(proof.holds()).isTrue();
    assertThat(proof.lines()).last().isEqualTo("The proof holds.");
  }

  @Test
  void shouldSayWhatDoesNotHold() {
    Verdict bad = new Verdict("billing", 2, 1, 0, Map.of(), 1, List.of("event 1 is lost"));
    Backups broken = new Backups(0, 0, 0, List.of("sequence 0 cannot be read back"));
    Proof proof =
        new Proof(
            2,
            2,
            new Published(2),
            List.of(good, bad),
            List.of("audit: still gets 7"),
            null,
            broken);

    assertThat(proof.failures())
        .containsExactly(
            "published 0 of 2 events",
            "billing: event 1 is lost",
            "audit: still gets 7",
            "the queue was not restarted",
            "backup: sequence 0 cannot be read back");
    assertThat(proof.lines())
        .contains("  FAILED: billing: event 1 is lost")
        .last()
        .isEqualTo("THE PROOF DOES NOT HOLD.");
  }

  @Test
  void shouldFailWhenSequencesRepeat() {
    published.add(1, 1);
    Published all = new Published(2);
    all.add(0, 0);
    all.add(1, 0);
    Proof proof = new Proof(2, 2, all, List.of(good), List.of(), "once", backups);

    assertThat(proof.failures()).containsExactly("the sequences are not 0 to 1, each once");
  }
}

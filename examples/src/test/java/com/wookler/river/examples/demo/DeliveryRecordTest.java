package com.wookler.river.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.examples.demo.DeliveryRecord.Reason;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The demo's result must report every fault. */
class DeliveryRecordTest {
  private static final int EVENTS = 6;

  private final PublishedSequences published = new PublishedSequences(EVENTS);
  private final DeliveryRecord billing = new DeliveryRecord("billing", true, EVENTS, 2, 2);
  private final DeliveryRecord audit = new DeliveryRecord("audit", false, EVENTS, 2, 1);

  @BeforeEach
  void publish() {
    for (int i = 0; i < EVENTS; i++) {
      published.add(i, i);
    }
  }

  @Test
  void shouldHoldWhenEachEventCameOnceInOrder() {
    for (int i = 0; i < EVENTS; i++) {
      take(billing, i % 2, i, 1);
      audit.delivered(0, i, i, 1, true);
    }

    assertThat(billing.complete()).isTrue();
    assertThat(audit.complete()).isTrue();
    assertThat(result(billing).holds()).isTrue();
    assertThat(result(audit).holds()).isTrue();
    assertThat(result(audit).summary())
        .isEqualTo("6 of 6 events, lost 0, more than once 0, in order, unchanged");
  }

  @Test
  void shouldHoldWhenWhatWasWithheldCameAgain() {
    billing.delivered(0, 0, 0, 1, true);
    billing.unfinished(0, Reason.WITHHELD);
    for (int i = 1; i < EVENTS; i++) {
      take(billing, 0, i, 1);
    }
    assertThat(billing.complete()).isFalse();
    take(billing, 1, 0, 2);

    assertThat(billing.complete()).isTrue();
    assertThat(result(billing).holds()).isTrue();
    assertThat(result(billing).summary())
        .contains("more than once 1 (1 not acknowledged on purpose)");
  }

  @Test
  void shouldFindALostEvent() {
    for (int i = 0; i < EVENTS - 1; i++) {
      audit.delivered(0, i, i, 1, true);
    }

    assertThat(audit.complete()).isFalse();
    assertThat(result(audit).violations()).containsExactly("event 5 is lost");
    assertThat(result(audit).summary()).contains("lost 1").contains("BROKEN");
  }

  @Test
  void shouldFindARepetitionWithoutReason() {
    all(billing);
    billing.delivered(0, 3, 3, 2, true);

    assertThat(result(billing).violations())
        .containsExactly("event 3 came 2 times without a reason");
  }

  @Test
  void shouldFindARepetitionMoreThanTheReasonExplains() {
    billing.delivered(0, 0, 0, 1, true);
    billing.unfinished(0, Reason.RESTART);
    all(billing, 1);
    take(billing, 0, 0, 2);
    billing.delivered(1, 0, 0, 3, true);

    assertThat(result(billing).violations())
        .containsExactly("event 0 came 3 times without a reason");
  }

  @Test
  void shouldFindARepetitionThatClaimsToBeTheFirst() {
    all(billing);
    billing.unfinished(3, Reason.LATE);
    billing.delivered(1, 3, 3, 1, true);

    assertThat(result(billing).violations()).contains("event 3 came twice as a first delivery");
  }

  @Test
  void shouldFindAnyRepetitionWithoutAcknowledgement() {
    all(audit);
    audit.delivered(0, 2, 2, 2, true);

    assertThat(result(audit).holds()).isFalse();
  }

  @Test
  void shouldFindEventsOfAPublisherOutOfOrder() {
    for (int number : new int[] {0, 1, 4, 2, 3, 5}) {
      audit.delivered(0, number, number, 1, true);
    }

    assertThat(result(audit).violations())
        .contains("event 2 of publisher 0 came after its event 4");
  }

  @Test
  void shouldFindSequencesOutOfOrderAcrossPublishers() {
    for (int number : new int[] {1, 0, 2, 3, 4, 5}) {
      audit.delivered(0, number, number, 1, true);
    }

    assertThat(result(audit).violations()).containsExactly("sequence 0 came after sequence 1");
  }

  @Test
  void shouldLetConsumersInCompetitionOvertakeEachOther() {
    for (int number : new int[] {1, 3, 5}) {
      take(billing, 0, number, 1);
    }
    for (int number : new int[] {0, 2, 4}) {
      take(billing, 1, number, 1);
    }

    assertThat(result(billing).holds()).isTrue();
  }

  @Test
  void shouldNotTakeARedeliveryForDisorder() {
    billing.delivered(0, 0, 0, 1, true);
    billing.unfinished(0, Reason.WITHHELD);
    take(billing, 0, 1, 1);
    take(billing, 0, 2, 1);
    take(billing, 0, 0, 2);
    take(billing, 0, 3, 1);
    take(billing, 0, 4, 1);
    take(billing, 0, 5, 1);

    assertThat(result(billing).holds()).isTrue();
  }

  @Test
  void shouldFindAnEventThatWasNeverAcknowledged() {
    all(billing, 1);
    billing.delivered(0, 0, 0, 1, true);
    billing.unfinished(0, Reason.WITHHELD);

    assertThat(billing.complete()).isFalse();
    assertThat(result(billing).violations()).contains("event 0 was acknowledged 0 times");
  }

  @Test
  void shouldFindAChangedEvent() {
    audit.delivered(0, 0, 0, 1, false);

    assertThat(result(audit).violations()).contains("event 0 arrived changed");
  }

  @Test
  void shouldFindAnEventThatNobodyPublished() {
    all(audit);
    audit.foreign(77);

    assertThat(result(audit).violations())
        .containsExactly("sequence 77 is not an event of the input");
  }

  @Test
  void shouldFindAnEventUnderAnotherSequence() {
    for (int i = 0; i < EVENTS; i++) {
      audit.delivered(0, i, i + 1, 1, true);
    }

    assertThat(result(audit).violationCount()).isEqualTo(EVENTS);
    assertThat(result(audit).violations())
        .contains("event 0 was published as sequence 0 and came as 1");
  }

  @Test
  void shouldFindSequencesWithGapsOrRepetitions() {
    assertThat(published.dense()).isTrue();
    published.add(0, 1);
    assertThat(published.dense()).isFalse();
    published.add(0, EVENTS);
    assertThat(published.dense()).isFalse();
  }

  private static void all(DeliveryRecord record) {
    all(record, 0);
  }

  private static void all(DeliveryRecord record, int from) {
    for (int i = from; i < EVENTS; i++) {
      take(record, 0, i, 1);
    }
  }

  private static void take(DeliveryRecord record, int consumer, int number, int attempt) {
    record.delivered(consumer, number, number, attempt, true);
    record.acknowledged(number);
  }

  private SubscriberResult result(DeliveryRecord record) {
    return record.result(published);
  }
}

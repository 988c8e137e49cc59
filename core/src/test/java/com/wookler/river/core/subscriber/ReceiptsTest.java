package com.wookler.river.core.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.subscriber.Receipts.Receipt;
import java.util.Base64;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ReceiptsTest {
  private static final UUID QUEUE = UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e");

  private final Receipts receipts = new Receipts(QUEUE, "billing", 7);

  @Test
  void shouldReadWhatItWrote() {
    assertThat(receipts.read(receipts.write(5, 99, 3))).isEqualTo(new Receipt(5, 99, 3, true));
    assertThat(receipts.write(5, 99, 3)).hasSize(48).matches("[A-Za-z0-9_-]*");
  }

  @Test
  void shouldKnowThoseOfAnEarlierOpening() {
    String old = new Receipts(QUEUE, "billing", 6).write(5, 99, 3);
    assertThat(receipts.read(old)).isEqualTo(new Receipt(5, 99, 3, false));
  }

  @Test
  void shouldNotKnowThoseOfOthers() {
    assertThat(receipts.read(new Receipts(QUEUE, "audit", 7).write(5, 99, 3))).isNull();
    assertThat(receipts.read(new Receipts(new UUID(1, 2), "billing", 7).write(5, 99, 3))).isNull();
    for (String text : new String[] {"", "5-99-3", "ä", "AAAA", "=".repeat(48), "A".repeat(48)}) {
      assertThat(receipts.read(text)).as(text).isNull();
    }
  }

  @Test
  void shouldNotTakeOneThatWasChangedAnywhere() {
    byte[] bytes = Base64.getUrlDecoder().decode(receipts.write(5, 99, 3));
    Random random = new Random(1);
    for (int i = 0; i < bytes.length; i++) {
      byte[] changed = bytes.clone();
      changed[i] ^= (byte) (1 << random.nextInt(8));
      assertThat(receipts.read(Base64.getUrlEncoder().encodeToString(changed))).isNull();
    }
  }
}

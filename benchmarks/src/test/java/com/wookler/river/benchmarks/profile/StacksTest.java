package com.wookler.river.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StacksTest {
  private final Stacks all = new Stacks("all");

  @Test
  void shouldCountEachFrameOfASampleOnce() {
    all.add(List.of("A.a", "B.b", "A.a"));
    all.add(List.of("A.a", "B.b"));
    all.add(List.of("A.a", "C.c"));

    assertThat(all.samples()).isEqualTo(3);
    Stacks a = callee(all, "A.a");
    assertThat(a.samples()).isEqualTo(3);
    assertThat(callee(a, "B.b").samples()).isEqualTo(2);
    assertThat(callee(callee(a, "B.b"), "A.a").samples()).isEqualTo(1);
    assertThat(callee(a, "C.c").samples()).isEqualTo(1);
  }

  @Test
  void shouldOrderByName() {
    all.add(List.of("Z.z"));
    all.add(List.of("A.a"));
    all.add(List.of("M.m"));

    assertThat(all.callees()).extracting(Stacks::name).containsExactly("A.a", "M.m", "Z.z");
  }

  @Test
  void shouldCountASampleWithoutFrames() {
    all.add(List.of());

    assertThat(all.samples()).isEqualTo(1);
    assertThat(all.callees()).isEmpty();
  }

  private static Stacks callee(Stacks stacks, String name) {
    return stacks.callees().stream()
        .filter(callee -> callee.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}

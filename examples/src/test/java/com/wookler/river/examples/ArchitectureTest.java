package com.wookler.river.examples;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holds the code to docs/architecture.md. It stands in this module because this one sees all. */
@AnalyzeClasses(
    packages = "com.wookler.river",
    importOptions = {DoNotIncludeTests.class, ArchitectureTest.DoNotIncludeTesting.class})
class ArchitectureTest {
  /** Nor what tests share, which is a module. */
  static final class DoNotIncludeTesting implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/wookler/river/testing/");
    }
  }

  static final String RIVER = "com.wookler.river.";

  /** From the top down: a package may use those that stand after it, never one before it. */
  static final List<String> DOWNWARDS =
      List.of(
          "examples.spring",
          "examples.outbox",
          "spring.boot3",
          "spring.boot4",
          "spring.test",
          "spring",
          "opentelemetry",
          "examples",
          "examples.demo",
          "examples.recipes",
          "examples.utils",
          "tools",
          "tools.inspect",
          "relay",
          "test",
          "rest.server",
          "rest.server.http",
          "rest.server.memcache",
          "rest.server.hosting",
          "rest.server.decoder",
          "rest.client",
          "kafka",
          "reactor.processors",
          "reactor.flow",
          "reactor",
          "filter",
          "jdbc",
          "forward",
          "core",
          "core.transfer",
          "core.delay",
          "core.subscriber",
          "core.backup",
          "core.log",
          "core.log.recovery",
          "core.log.files",
          "core.log.chronicle",
          "core.message",
          "ack.journal",
          "ack",
          "common.settings",
          "common.ids",
          "common.keys",
          "common.removed",
          "common.file",
          "common.micrometer",
          "common.utils",
          "common",
          "common.counters",
          "common.config",
          "common.errors");

  @ArchTest
  static final ArchRule shouldHaveNoCyclesBetweenPackages =
      slices().matching(RIVER + "(**)").should().beFreeOfCycles();

  @ArchTest
  static void shouldImportDownwardsOnly(JavaClasses classes) {
    for (int i = 1; i < DOWNWARDS.size(); i++) {
      String[] above = DOWNWARDS.subList(0, i).stream().map(RIVER::concat).toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage(RIVER + DOWNWARDS.get(i))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(above)
          .allowEmptyShould(true)
          .check(classes);
    }
  }

  @ArchTest
  static final ArchRule shouldSeeNothingOfRiverInItsClient =
      noClasses()
          .that()
          .resideInAPackage(RIVER + "rest.client")
          .should()
          .dependOnClassesThat(
              describe(
                  "are River's",
                  used ->
                      used.getPackageName().startsWith(RIVER)
                          && !used.getPackageName().equals(RIVER + "rest.client")));

  @ArchTest
  static final ArchRule shouldKnowTheOrderOfEveryPackage =
      noClasses()
          .should()
          .resideOutsideOfPackages(DOWNWARDS.stream().map(RIVER::concat).toArray(String[]::new))
          .because("a new package has a place in the order above");

  /** The libraries that one package hides from all others, and the packages that see them. */
  private static final Map<String, Set<String>> HIDDEN =
      Map.of(
          "net.openhft..", Set.of("core.log.chronicle"),
          "com.github.luben.zstd..", Set.of("core.backup"),
          "org.ehcache..", Set.of("core.subscriber"),
          "org.apache.commons.jexl3..", Set.of("filter"),
          "com.google.re2j..", Set.of("filter"),
          "org.apache.kafka..", Set.of("kafka"),
          "io.vertx..", Set.of("rest.server", "rest.server.http", "rest.server.memcache"),
          "io.netty..", Set.of("rest.server", "rest.server.http", "rest.server.memcache"),
          "io.github.resilience4j..", Set.of("reactor.processors"));

  @ArchTest
  static void shouldSeeEachLibraryInItsPackageOnly(JavaClasses classes) {
    HIDDEN.forEach(
        (library, packages) ->
            noClasses()
                .that()
                .resideOutsideOfPackages(
                    packages.stream().map(RIVER::concat).toArray(String[]::new))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(classes));
  }

  /** So many classes of a package may depend on each other in a circle. */
  private static final int LARGEST_KNOT = 8;

  @ArchTest
  static void shouldHaveNoLargeGroupsThatDependOnEachOther(JavaClasses classes) {
    Knots.of(classes)
        .forEach(
            (name, knots) ->
                assertThat(knots)
                    .as("groups of classes in %s that depend on each other", name)
                    .allSatisfy(knot -> assertThat(knot).hasSizeLessThanOrEqualTo(LARGEST_KNOT)));
  }

  @ArchTest
  static final ArchRule shouldDoNoInputOutputInAck =
      noClasses()
          .that()
          .resideInAPackage(RIVER + "ack")
          .should()
          .dependOnClassesThat(describe("do input or output", ArchitectureTest::doesInputOrOutput));

  @ArchTest
  static final ArchRule shouldMakeThreadsInMonitoredThreadOnly =
      noClasses()
          .that()
          .doNotBelongToAnyOf(MonitoredThread.class)
          .should()
          .callConstructorWhere(
              describe(
                  "makes a plain thread",
                  (JavaConstructorCall call) ->
                      call.getTargetOwner().isEquivalentTo(Thread.class)));

  @ArchTest
  static final ArchRule shouldAskTimeSourcesForTheTime =
      noClasses()
          .that()
          .doNotImplement(TimeSource.class)
          .and()
          .doNotHaveFullyQualifiedName(RIVER + "rest.client.Ticker") // which sees nothing of River
          .should()
          .callMethodWhere(describe("asks a clock", ArchitectureTest::asksClock));

  @ArchTest
  static final ArchRule shouldPrintInExamplesAndToolsOnly =
      noClasses()
          .that()
          .resideOutsideOfPackages(RIVER + "examples..", RIVER + "tools..")
          .and()
          .doNotHaveFullyQualifiedName(RIVER + "rest.server.Main") // a command line, too
          .should()
          .accessFieldWhere(
              describe(
                  "is a standard stream",
                  access ->
                      access.getTargetOwner().isEquivalentTo(System.class)
                          && Set.of("out", "err").contains(access.getTarget().getName())));

  private static boolean doesInputOrOutput(JavaClass used) {
    boolean harmless =
        used.isAssignableTo(IOException.class)
            || used.isEquivalentTo(UncheckedIOException.class)
            || used.isEquivalentTo(Serializable.class);
    String name = used.getPackageName();
    return !harmless
        && (name.equals("java.io")
            || name.startsWith("java.nio.file")
            || name.equals("java.nio.channels"));
  }

  private static boolean asksClock(JavaMethodCall call) {
    JavaClass owner = call.getTargetOwner();
    String method = call.getTarget().getName();
    if (owner.isEquivalentTo(System.class)) {
      return method.equals("currentTimeMillis") || method.equals("nanoTime");
    }
    return owner.isEquivalentTo(Clock.class)
        || (owner.getPackageName().equals("java.time") && method.equals("now"));
  }
}

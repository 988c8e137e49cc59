package com.wookler.river.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.spring.RiverProperties;
import com.wookler.river.spring.RiverQueues;
import com.wookler.river.spring.RiverTemplate;
import com.wookler.river.spring.slice.Shop.Billing;
import com.wookler.river.spring.slice.Shop.Broken;
import com.wookler.river.spring.slice.Shop.Converters;
import com.wookler.river.spring.slice.Shop.Invoices;
import com.wookler.river.spring.slice.Shop.Settings;
import com.wookler.river.spring.slice.Shop.Shipping;
import com.wookler.river.spring.test.SpringRiverTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContextManager;

/**
 * Runs test classes as Spring's extension for JUnit does, of which each Spring needs another JUnit.
 */
class SpringRiverTestTest {
  private final List<TestContextManager> managers = new ArrayList<>();

  @SpringRiverTest
  @Import(Invoices.class)
  static class All {
    @Autowired RiverTemplate river;
    @Autowired RiverQueues queues;
    @Autowired RiverProperties properties;
    @Autowired ApplicationContext context;
  }

  @SpringRiverTest
  @Import(Invoices.class)
  static class Same extends All {}

  @SpringRiverTest(Shipping.class)
  static class One extends All {}

  @SpringRiverTest(listeners = Shipping.class, properties = "river.options.queue.max.messages=7")
  static class Changed extends All {}

  /** A test without the annotation. */
  @SpringBootTest(classes = Invoices.class)
  static class Plain {
    @Autowired ApplicationContext context;
  }

  private <T> T prepare(T test) throws Exception {
    TestContextManager manager = new TestContextManager(test.getClass());
    managers.add(manager);
    manager.prepareTestInstance(test);
    return test;
  }

  @AfterEach
  void closeContexts() {
    managers.forEach(
        each -> each.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE));
  }

  @Test
  void shouldHaveListenersAndConvertersAndNothingElse() throws Exception {
    All test = prepare(new All());
    assertThat(test.context.getBeanNamesForType(Billing.class)).hasSize(1);
    assertThat(test.context.getBeanNamesForType(Shipping.class)).hasSize(1);
    assertThat(test.context.getBeanNamesForType(Converters.class)).hasSize(1);
    assertThat(test.context.getBeanNamesForType(Broken.class)).isEmpty();
    assertThat(test.context.getBeanNamesForType(Settings.class)).isEmpty();
    assertThat(test.context.containsBean("riverHealthIndicator")).isFalse();
    assertThat(test.context.getClass().getName()).doesNotContain("Web");
    test.river.publish("orders", "a");
    test.river.publish("parcels", 7);
    Invoices invoices = test.context.getBean(Invoices.class);
    await().untilAsserted(() -> assertThat(invoices.all).containsExactly("a"));
    Shipping shipping = test.context.getBean(Shipping.class);
    await().untilAsserted(() -> assertThat(shipping.all).containsExactly(7));
    assertThat(test.queues.find("parcels").orElseThrow().read(0).orElseThrow().bytes())
        .isEqualTo(MessageConverter.utf8().toBytes("number 7"));
  }

  @Test
  void shouldHaveOnlyTheListenersThatAreNamed() throws Exception {
    One test = prepare(new One());
    assertThat(test.context.getBeanNamesForType(Shipping.class)).hasSize(1);
    assertThat(test.context.getBeanNamesForType(Converters.class)).hasSize(1);
    assertThat(test.context.getBeanNamesForType(Billing.class)).isEmpty();
  }

  @Test
  void shouldHaveADirectoryThatIsDeletedWithTheContext() throws Exception {
    One first = prepare(new One());
    first.river.publish("parcels", 7);
    Path directory = first.properties.directory();
    assertThat(directory.resolve("parcels")).isDirectory();
    Changed second = prepare(new Changed());
    assertThat(second.properties.directory()).isNotEqualTo(directory).isDirectory();
    closeContexts();
    assertThat(directory).doesNotExist();
    assertThat(second.properties.directory()).doesNotExist();
  }

  @Test
  void shouldTakePropertiesAndIgnoreTheApplicationsQueues() throws Exception {
    Changed test = prepare(new Changed());
    assertThat(test.properties.options()).containsEntry("queue.max.messages", "7");
    assertThat(test.properties.config()).isNull();
    assertThat(test.context.getEnvironment().getProperty("river.config")).isEmpty();
  }

  @Test
  void shouldShareTheContextOfEqualTests() throws Exception {
    ApplicationContext first = prepare(new All()).context;
    assertThat(prepare(new Same()).context).isSameAs(first);
    assertThat(prepare(new One()).context).isNotSameAs(first);
  }

  @Test
  void shouldLeaveOtherTestsAsTheyAre() throws Exception {
    ApplicationContext context = prepare(new Plain()).context;
    assertThat(context.containsBean("riverTestDirectory")).isFalse();
    assertThat(context.getBeanNamesForType(Invoices.class)).hasSize(1);
  }
}

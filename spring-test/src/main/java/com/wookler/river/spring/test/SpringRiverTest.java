package com.wookler.river.spring.test;

import com.wookler.river.spring.RiverAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Tests the listeners of a Spring Boot application without the rest of it, as {@code @DataJpaTest}
 * does for repositories.
 *
 * <pre>{@code
 * @SpringRiverTest(Billing.class)
 * class BillingTest {
 *   @Autowired RiverTemplate river;
 *   @MockitoBean Invoices invoices;
 *
 *   @Test
 *   void shouldInvoiceEachOrder() {
 *     river.publish("orders", new Order(7, "ada"));
 *     verify(invoices, timeout(60_000)).add(7);
 *   }
 * }
 * }</pre>
 *
 * <p>The context has {@link RiverAutoConfiguration} and no other auto-configuration, and no web
 * server. Of what the application's component scan finds it has classes with a
 * {@code @RiverListener}, and those that implement one of River's interfaces: converters ({@link
 * com.wookler.river.spring.RiverConverters}, {@link
 * com.wookler.river.core.message.MessageConverter}), customizers and interceptors. Everything else,
 * configuration classes too, is added by {@code @Import}, or replaced by {@code @MockitoBean}.
 *
 * <p>Queues are in a temporary directory, one for each context, which is deleted with it; {@code
 * river.config} of the application counts only where {@link #properties} name it. Tests whose
 * contexts are equal share one, its queues and what is in them, as Spring's cache has it;
 * {@code @DirtiesContext} ends that.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@BootstrapWith(SliceBootstrapper.class)
@ExtendWith(SpringExtension.class)
@ImportAutoConfiguration({RiverAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class})
public @interface SpringRiverTest {
  /** Same as {@link #listeners}. */
  @AliasFor("listeners")
  Class<?>[] value() default {};

  /** Returns the listeners that are in the context; by default all that the scan finds. */
  @AliasFor("value")
  Class<?>[] listeners() default {};

  /** Returns properties of the context, {@code name=value}, which count most. */
  String[] properties() default {};
}

package com.wookler.river.spring;

import com.wookler.river.common.errors.ConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what is wrong with a setting of River, in place of a stack trace. */
final class RiverConfigurationFailureAnalyzer
    extends AbstractFailureAnalyzer<ConfigurationException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, ConfigurationException cause) {
    return new FailureAnalysis(
        "River cannot be configured: " + cause.getMessage(),
        "Correct the property under river.*, the @RiverListener or the river.xml that is named"
            + " above; docs/configuration.md lists the options and what they allow.",
        cause);
  }
}

/**
 * Reads a configuration file into a tree of {@link com.wookler.river.common.config.ConfigNode}s
 * whose errors name file, line, element and parameter. Imports {@code errors} only.
 */
@NullMarked
package com.wookler.river.common.config;

import org.jspecify.annotations.NullMarked;

/**
 * Classes to copy into an application, one file each, and to change there. They use what an
 * application uses, and nothing else of this module.
 */
@NullMarked
package com.wookler.river.examples.recipes;

import org.jspecify.annotations.NullMarked;

package io.pigeonhole.benchmarks.suite;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Variants that do the same work, and the ratios between them that matter.
 *
 * @param name the suite's name in reports
 * @param variants the variants; those that are compared should stand next to each other, because they then run next to
 *     each other
 * @param ratios the ratios, in the order of the report
 */
public record Suite(String name, List<Variant> variants, List<Ratio> ratios) {
    /** Copies the lists and checks that every ratio is between variants of the suite. */
    public Suite {
        variants = List.copyOf(variants);
        ratios = List.copyOf(ratios);
        Set<String> names = new HashSet<>();
        for (Variant variant : variants) {
            if (!names.add(variant.name())) {
                throw new IllegalArgumentException("two variants are called " + variant.name());
            }
        }
        for (Ratio ratio : ratios) {
            if (!names.contains(ratio.numerator()) || !names.contains(ratio.denominator())) {
                throw new IllegalArgumentException("no variants for the ratio " + ratio.name() + " in " + names);
            }
        }
    }

    /**
     * The suite with some of its variants only, and the ratios between these.
     *
     * @throws IllegalArgumentException if the suite has no variant of such a name
     */
    public Suite only(Collection<String> names) {
        List<Variant> chosen = variants.stream()
                .filter(variant -> names.contains(variant.name()))
                .toList();
        if (chosen.size() != Set.copyOf(names).size()) {
            throw new IllegalArgumentException(
                    "the suite has " + variants.stream().map(Variant::name).toList() + ", asked for were " + names);
        }
        List<Ratio> between = ratios.stream()
                .filter(ratio -> names.contains(ratio.numerator()) && names.contains(ratio.denominator()))
                .toList();
        return new Suite(name, chosen, between);
    }
}

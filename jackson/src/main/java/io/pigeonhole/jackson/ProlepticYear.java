package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.cfg.MapperConfig;

/**
 * A property of which the pattern has a year without an era: {@code yyyy} is read as {@code uuuu}. To {@code java.time} the first is a
 * year of an era, which no date is made of where it is strict, and the era is missing.
 */
final class ProlepticYear extends BeanProperty.Std {
    private static final long serialVersionUID = 1L;

    private final BeanProperty property;

    private ProlepticYear(BeanProperty property) {
        super(
                property.getFullName(),
                property.getType(),
                property.getWrapperName(),
                property.getMember(),
                property.getMetadata());
        this.property = property;
    }

    static @Nullable BeanProperty of(@Nullable BeanProperty property) {
        return property == null ? null : new ProlepticYear(property);
    }

    @Override
    public JsonFormat.Value findPropertyFormat(MapperConfig<?> config, Class<?> type) {
        JsonFormat.Value format = property.findPropertyFormat(config, type);
        return format.hasPattern() ? format.withPattern(proleptic(format.getPattern())) : format;
    }

    private static String proleptic(String pattern) {
        StringBuilder proleptic = new StringBuilder(pattern);
        boolean isQuoted = false;
        for (int i = 0; i < pattern.length(); i++) {
            char letter = pattern.charAt(i);
            isQuoted ^= letter == '\'';
            if (!isQuoted && letter == 'G') {
                return pattern;
            }
            if (!isQuoted && letter == 'y') {
                proleptic.setCharAt(i, 'u');
            }
        }
        return proleptic.toString();
    }
}

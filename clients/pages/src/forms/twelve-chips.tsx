/** 12 Chips: a chip is played or taken by one tap. */

export const oneTap = ["play", "take"];

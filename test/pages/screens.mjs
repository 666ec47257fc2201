/** A wide screen and a phone. */
export const SCREENS = [
  { name: 'wide', width: 1280, height: 900 },
  { name: 'phone', width: 390, height: 844 },
];

/** Light on the wide screen and dark on the phone. */
export const LOOKS = [
  { screen: SCREENS[0], colorScheme: 'light' },
  { screen: SCREENS[1], colorScheme: 'dark' },
];

/** A wide screen and a phone. */
const [wide, phone] = [
  { name: 'wide', width: 1280, height: 900 },
  { name: 'phone', width: 390, height: 844 },
];

/** Light on the wide screen and dark on the phone. */
export const LOOKS = [
  { screen: wide, colorScheme: 'light' },
  { screen: phone, colorScheme: 'dark' },
];

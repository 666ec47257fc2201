/** An address or a contract: 20 bytes in hexadecimal digits, of any case. */
export const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

import { z } from 'zod';
import { asText, mapping, nameField, says, yesOrNo } from '../syntax/fields.ts';

const ADVICE =
  'Give the whole address, as in wss://stream.example/fragments, or the path at the ' +
  'source, as in /stream.';

function isStreamAddress(text: string): boolean {
  if (/^\/[^\s#]*$/.test(text)) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return ['ws:', 'wss:'].includes(protocol) && `${username}${password}${hash}` === '';
}

/** The whole address of the stream. */
export function streamUrl({ url }: CapturedStream, sourceUrl: string): string {
  return url.startsWith('/') ? sourceUrl.replace(/^http/i, 'ws') + url : url;
}

/** The `stream` of a pipeline. */
export const streamSchema = mapping({
  url: asText(
    z
      .string(says('is not a ws or wss address', ADVICE))
      .refine(isStreamAddress, says('is not a ws or wss address without a user name', ADVICE)),
  ).describe('Address of the stream, or its path at the source, as in /stream'),
  network: nameField(
    'the name of a network',
    'main',
    'Name of the network; a column of the rows',
  ).default('main'),
  keepJournal: yesOrNo('Files of the journal stay after their frames have landed').default(false),
});

/** The stream of preconfirmed block fragments that a pipeline captures. */
export type CapturedStream = Readonly<z.infer<typeof streamSchema>>;

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ran, toolPath, windrow } from './tools.mjs';

/**
 * The SMTP server of aiosmtpd. Takes a form (`starttls`, `tls` or `none`), a certificate, its key,
 * a user and a password; prints its port, then each message on a line as JSON.
 */
const SERVER = `
import json, signal, socket, ssl, sys
from email import message_from_bytes, policy
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

form, certificate, key, user, password = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)

class Printer:
    async def handle_DATA(self, server, session, envelope):
        message = message_from_bytes(envelope.content, policy=policy.default)
        body = message.get_content()
        print(json.dumps({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": message["subject"],
            "id": message["message-id"], "text": body, "tls": form == "tls" or session.ssl is not None,
            "login": session.authenticated is True,
        }), flush=True)
        return "250 taken"

def authenticated(server, session, envelope, mechanism, data):
    is_right = (data.login.decode(), data.password.decode()) == (user, password)
    return AuthResult(success=is_right, handled=False)

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
options = {"hostname": "localhost", "port": port}
if form == "starttls":
    options |= {"tls_context": context, "require_starttls": True, "auth_required": True}
if form == "tls":
    options |= {"ssl_context": context, "auth_required": True, "auth_require_tls": False}
if form != "none":
    options |= {"authenticator": authenticated}
controller = Controller(Printer(), **options)
controller.start()
print(json.dumps({"port": port}), flush=True)
signal.sigwait([signal.SIGTERM])
controller.stop()
`;
const USER = 'user-of-the-test';
const PASSWORD = 'password-of-the-test';
const TO = ['data@example.org', 'ops@example.org'];

/** Alerts by mail, through a server that windrow shares no code with. */
export async function receiveMail(tally, folder) {
  const [certificate, key] = ['mail.crt', 'mail.key'].map((name) => join(folder, name));
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate, '-days', '2'];
  const made = ran('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    ...files,
    ...subject,
  ]);
  tally.holds('openssl makes a certificate', made.code === 0, made.output);
  for (const form of ['starttls', 'tls', 'none']) {
    const server = await smtpServer([form, certificate, key, USER, PASSWORD]);
    try {
      await deliver(tally, { form, folder, server, certificate });
    } finally {
      await server.close();
    }
    const down = test(folder, form, server.port, certificate, PASSWORD);
    const isNamed = down.output.includes('mail: FAILED: the mail server did not take it (ESOCKET)');
    tally.holds(`${form}: a server that is down is named`, down.code === 1 && isNamed, down.output);
  }
  const plain = await smtpServer(['none', certificate, key, USER, PASSWORD]);
  const refused = test(folder, 'starttls', plain.port, certificate, PASSWORD);
  tally.holds('starttls: a server without TLS is refused', refused.code === 1, refused.output);
  tally.equal('starttls: and gets no message', (await plain.close()).length, 0);
}

async function deliver(tally, { form, folder, server, certificate }) {
  const sent = test(folder, form, server.port, certificate, PASSWORD);
  tally.holds(`${form}: windrow alerts test succeeds`, sent.code === 0, sent.output);
  if (form !== 'none') {
    const wrong = test(folder, form, server.port, certificate, 'a-wrong-password');
    const reason = 'mail: FAILED: the mail server did not take it (EAUTH, SMTP 535)';
    const isNamed = wrong.code === 1 && wrong.output.includes(reason);
    tally.holds(`${form}: a wrong password is named`, isNamed, wrong.output);
    tally.holds(
      `${form}: and no secret is shown`,
      !/password-of|a-wrong-password|user-of/.test(wrong.output),
    );
    const untrusted = test(folder, form, server.port, undefined, PASSWORD);
    tally.holds(
      `${form}: an unknown certificate is refused`,
      untrusted.code === 1,
      untrusted.output,
    );
  }
  const messages = await server.close();
  tally.equal(`${form}: one message arrives`, messages.length, 1);
  const [{ id, text, ...message } = {}] = messages;
  const isSecure = form !== 'none';
  tally.equal(`${form}: the message`, message, {
    from: 'windrow@example.org',
    to: TO,
    subject: '[windrow] address-activity: test',
    tls: isSecure,
    login: isSecure,
  });
  tally.holds(`${form}: its id`, /^<test_\d+_mail@windrow>$/.test(id), id);
  const line = 'address-activity: this is a test of the alert destination mail.';
  tally.holds(`${form}: its text`, text?.startsWith(line) === true, text);
  tally.holds(`${form}: no secret in it`, !JSON.stringify(messages).includes(PASSWORD));
}

/** `windrow alerts test` with one destination. */
function test(folder, security, port, certificate, password) {
  const file = join(folder, `mail-${security}.yaml`);
  const login = 'user: { env: SMTP_USER }, password: { env: SMTP_PASSWORD }, ';
  const mail = `{ host: localhost, port: ${port}, security: ${security}, from: windrow@example.org,
        ${security === 'none' ? '' : login}to: [${TO.join(', ')}] }`;
  writeFileSync(
    file,
    `${readFileSync(join(folder, 'address-activity.yaml'), 'utf8')}
alerts:
  destinations: { mail: { email: ${mail} } }
  rules: [{ on: failed }]
`,
  );
  const trusted = certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate };
  const env = { ...process.env, SMTP_USER: USER, SMTP_PASSWORD: password, ...trusted };
  return windrow(['alerts', 'test', file, '--data', join(folder, 'data')], { env });
}

/** Its messages are those until it is closed. */
async function smtpServer(args) {
  const child = spawn(toolPath('python3'), ['-c', SERVER, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const messages = [];
  const lines = createInterface({ input: child.stdout });
  const ended = new Promise((resolve) => lines.once('close', resolve));
  const { port } = await new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      lines.on('line', (next) => messages.push(JSON.parse(next)));
      resolve(JSON.parse(line));
    });
    lines.once('close', () => reject(new Error('the mail server ended before it had a port')));
  });
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    return messages;
  };
  return { port, close };
}

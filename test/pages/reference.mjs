import { LOOKS } from './screens.mjs';
import { whileServing } from './serving.mjs';

const SECRETS = {
  WINDROW_ACCESS_KEY: 'key-of-the-test',
  WINDROW_SECRET_KEY: 'secret-of-the-test',
  WINDROW_PASSPHRASE: 'words-of-the-test',
};

/** Tries a request in the API reference of a service that checks signatures. */
export async function checkReference(visit) {
  await whileServing(['--chain', 'demo'], SECRETS, async (url) => {
    for (const { screen, colorScheme } of LOOKS) {
      const label = `reference, ${screen.name}, ${colorScheme}`;
      const loads = [`${url}/docs/`, `${url}/openapi.json`, `${url}/api/`, 'data:'];
      await visit(label, `${url}/docs`, { screen, colorScheme, loads }, async (page, tally) => {
        await page.waitForSelector('.opblock');
        const paths = Object.keys((await (await fetch(`${url}/openapi.json`)).json()).paths);
        tally.equal(`${label}: operations`, await page.locator('.opblock').count(), paths.length);
        await page.fill('input[name=accessKey]', SECRETS.WINDROW_ACCESS_KEY);
        await page.fill('input[name=secretKey]', SECRETS.WINDROW_SECRET_KEY);
        await page.fill('input[name=passphrase]', SECRETS.WINDROW_PASSPHRASE);
        const operation = page.locator('.opblock', { hasText: 'block/block-list' }).first();
        await operation.locator('.opblock-summary-control').click();
        await operation.locator('.try-out__btn').click();
        const answered = page.waitForResponse((response) => response.url().includes('/api/v5/'));
        await operation.locator('.execute').click();
        const response = await answered;
        tally.equal(`${label}: a signed request`, response.status(), 200);
        tally.equal(`${label}: its code`, (await response.json()).code, '0');
        const sent = JSON.stringify(await response.request().allHeaders());
        const isSecret = sent.includes(SECRETS.WINDROW_SECRET_KEY);
        tally.holds(`${label}: the secret key stays in the page`, !isSecret);
        await page.waitForSelector('.live-responses-table');
      });
    }
  });
}

import { sitePages } from '../pages.mjs';

const groups = await sitePages();

// VitePress reads a default export.
export default {
  title: 'windrow',
  description: 'Exports the records of a chain explorer to Delta tables and SQL views',
  // Without this, browsers ask for an icon.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: 'pages',
  outDir: 'dist',
  // Any folder of any host can serve the site.
  base: process.env.DOCS_BASE ?? '/',
  markdown: {
    config: (markdown) => {
      const fence = markdown.renderer.rules.fence.bind(markdown.renderer.rules);
      markdown.renderer.rules.fence = (tokens, i, ...rest) => {
        const { info, content } = tokens[i];
        if (info.trim() !== 'mermaid') return fence(tokens, i, ...rest);
        return `<Diagram code="${encodeURIComponent(content)}" />`;
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Overview', link: '/README' },
      { text: 'Data dictionary', link: '/data-dictionary' },
    ],
    sidebar: groups.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: `/${page.name}` })),
    })),
  },
};

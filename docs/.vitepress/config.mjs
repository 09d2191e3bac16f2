// The site of the documentation: the pages of this folder, and one of the API for each tag of its description.
import { createHash } from 'node:crypto'
import { defineConfig } from 'vitepress'
import { tagPages } from './api-pages.mjs'
import { commandPages } from './cli-pages.mjs'
import { PROJECT_PAGES, siteLinks } from './links.mjs'
import { page, sections } from './sections.mjs'

const hashOf = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Only the scripts that the build wrote may run: those within a page are named by their hashes. */
const policyOf = html => {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const scripts = ["'self'", ...new Set(inline.map(([, text]) => hashOf(text)))].join(' ')
  return `default-src 'self'; script-src ${scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'`
}

export default defineConfig({
  title: 'Annals',
  description: 'An event-sourced control plane over one append-only log',
  base: '/docs/',
  outDir: '../dist/pages/docs',
  cacheDir: '../dist/.vitepress-cache',
  metaChunk: true,
  markdown: { config: siteLinks },
  transformHtml: html =>
    html.replace(
      '<meta charset="utf-8">',
      tag => `${tag}<meta http-equiv="Content-Security-Policy" content="${policyOf(html)}">`
    ),
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      ...sections,
      {
        text: 'API by resource',
        collapsed: true,
        items: tagPages().map(({ tag, slug }) => page(tag, `api/${slug}`))
      },
      {
        text: 'Commands',
        collapsed: true,
        items: (await commandPages()).map(({ name }) => page(name, `cli/${name}`))
      },
      {
        text: 'Project',
        items: [
          ...[...PROJECT_PAGES.values()].map(name => page(name.toUpperCase(), `project/${name}`)),
          page('Decisions', 'decisions/README')
        ]
      }
    ]
  }
})

// Builds the pages for people, which the server shows at /ui.
import { join } from 'node:path'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/ui/',
  cacheDir: join(import.meta.dirname, '../../dist/.vite-cache'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(import.meta.dirname, '../../dist/pages/ui'),
    emptyOutDir: true,
    target: 'es2022',
    // The server sends no script that stands within a page.
    modulePreload: { polyfill: false }
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8500' } }
})

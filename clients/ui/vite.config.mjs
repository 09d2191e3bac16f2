// Builds the pages for people, which the server shows at /ui.
import { join } from 'node:path'
import { defineConfig } from 'vite'
import { compressed } from './compressed.mjs'

export default defineConfig({
  root: import.meta.dirname,
  base: '/ui/',
  cacheDir: join(import.meta.dirname, '../../dist/.vite-cache'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [compressed],
  build: {
    outDir: join(import.meta.dirname, '../../dist/pages/ui'),
    emptyOutDir: true,
    // Names and licenses of the packages in the pages, which many licenses demand in copies.
    license: { fileName: 'licenses.json' },
    target: 'es2022',
    // The server sends no script that stands within a page.
    modulePreload: { polyfill: false },
    // It takes seconds to compress well, and is no fault.
    rolldownOptions: {
      checks: { pluginTimings: false },
      // A page loads only the parts of the design system that it uses.
      treeshake: { moduleSideEffects: [{ test: /ui\/design\/.*\.tsx?$/, sideEffects: false }] }
    }
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8500' } }
})

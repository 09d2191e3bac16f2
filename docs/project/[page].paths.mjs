// README, CONTRIBUTING, CHANGELOG and SECURITY as pages, for VitePress.
import { readFileSync } from 'node:fs'
import { PROJECT_PAGES, ROOT } from '../.vitepress/links.mjs'

export default {
  paths: () =>
    [...PROJECT_PAGES].map(([file, page]) => ({
      params: { page },
      content: readFileSync(`${ROOT}/${file}`, 'utf8')
    }))
}

// The pages of the API, for VitePress.
import { tagPages } from '../.vitepress/api-pages.mjs'

export default {
  paths: () => tagPages().map(({ slug, markdown }) => ({ params: { tag: slug }, content: markdown }))
}

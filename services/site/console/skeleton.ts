/**
 * What a browser shows before the scripts of the console are there: the frame of its screens, with the name of the
 * product. The colours and measures are those of `app/styles`.
 */
export const SKELETON = `<div class="skeleton" aria-hidden="true"><div><p>Marketplace</p>${'<i></i>'.repeat(7)}</div><div><b></b><b></b></div></div>`

/** Without a line break, because its hash is part of the policy. */
export const SKELETON_STYLE = [
  ':root{color-scheme:light dark}',
  'body{margin:0;background:light-dark(#f7f8fa,#0f1115)}',
  '.skeleton{display:grid;grid-template-columns:15rem minmax(0,1fr);min-height:100vh}',
  '.skeleton>div{display:grid;align-content:start;gap:1rem;padding:1.5rem 2rem}',
  '.skeleton>:first-child{gap:.9rem;padding:1.25rem;background:light-dark(#fff,#16191f);border-right:1px solid light-dark(#e6e8ec,#272c34)}',
  '.skeleton p{margin:0 0 1rem 2rem;font:650 .875rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:light-dark(#1a1d23,#e8eaee)}',
  '.skeleton i{width:70%;height:1.1rem;border-radius:4px;background:light-dark(#f1f3f6,#20242c)}',
  '.skeleton b{height:24rem;border:1px solid light-dark(#e6e8ec,#272c34);border-radius:10px;background:light-dark(#fff,#16191f)}',
  '.skeleton b:first-child{width:40%;height:2rem;border:0;background:light-dark(#f1f3f6,#20242c)}',
  '.signed-out .skeleton{display:none}',
  '@media(max-width:48rem){.skeleton{grid-template-columns:1fr;grid-template-rows:auto 1fr}.skeleton>div{padding:1rem}.skeleton p{margin-bottom:0}.skeleton i{display:none}}',
].join('')

const HASH = new Bun.CryptoHasher('sha256').update(SKELETON_STYLE).digest('base64')
/** The source of the policy that allows this style sheet in the page, and no other. */
export const SKELETON_SOURCE = `'sha256-${HASH}'`

import{a,b}from"./part-ZNG3WTUU.js";import"./part-U3VPO7QB.js";import"./part-LVE3R7SO.js";import"./part-OKV6VIW5.js";import"./part-GGBQFXN7.js";export{b as SignInCard,a as default};

import{a,b}from"./part-SZ2RGYAS.js";import"./part-OVJASAU3.js";import"./part-LVE3R7SO.js";import"./part-FJASF6Q3.js";import"./part-GGBQFXN7.js";export{b as SignInCard,a as default};

import{a,b}from"./part-USEXY23S.js";import"./part-GK3B462A.js";import"./part-LVE3R7SO.js";import"./part-AZPANVIO.js";import"./part-GGBQFXN7.js";export{b as SignInCard,a as default};

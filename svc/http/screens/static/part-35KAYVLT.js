import{a,b}from"./part-IRLO3PI3.js";import"./part-XFBHASUJ.js";export{b as SignInCard,a as default};
